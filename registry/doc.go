// Package registry gives markers their IDs and keeps them across edits.
//
// An ID is born as a hash of what a marker is: import path, top-level function, kind, header text, and its ordinal
// among equals. Nothing is counted or drawn by lot, so a marker inserted elsewhere moves no ID, and two branches or
// two machines that add the same marker give it the same ID without asking each other.
//
// When the code is renamed, moved or edited, the hash would change, so the IDs are written down in a registry: a
// text file named markgen.registry at the module root, one marker a line, made to be kept in version control.
// [Registry.Assign] gives a point that is not in the registry as it stands the ID of the vanished entry that it most
// likely was, and only where there is one candidate:
//
//	reg, err := registry.Parse(registry.FileName, text)
//	ids, reg := reg.Assign(packages, points)
//	err = os.WriteFile(registry.FileName, reg.Format(), 0o666)
//
// What is promised: the same registry and the same points, in any order, give the same IDs and the same bytes; no
// ID is 0; no ID is ever given to a second marker, the retired ones included; a retired ID comes back only with the
// same code in the same function.
//
// What is not seen: a loop or branch of which header and body both changed between two runs, or
// function and header, is a new marker, whatever its name; and one of several equal markers whose
// bodies all changed is known only by its place among them.
package registry
