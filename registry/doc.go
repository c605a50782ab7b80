// Package registry gives markers their IDs and keeps them across edits.
//
// A new ID is a hash of the marker's properties: import path, top-level function, kind, header
// text, and its ordinal among equal markers. There are no counters and no random numbers, so
// inserting a marker elsewhere changes no ID, and two branches or machines that add the same marker
// give it the same ID without communicating.
//
// If code is renamed, moved or edited, the hash would change, so IDs are stored in a registry: a
// text file named markgen.registry at the module root, one marker per line, to be kept in version
// control. [Registry.Assign] gives a point that is not in the registry the ID of the vanished entry
// that it most likely was, but only if there is exactly one candidate:
//
//	reg, err := registry.Parse(registry.FileName, text)
//	ids, reg := reg.Assign(packages, points)
//	err = os.WriteFile(registry.FileName, reg.Format(), 0o666)
//
// Promises: the same registry and the same points, in any order, give the same IDs and the same
// bytes; no ID is 0; no ID is ever given to a second marker, not even a retired ID; a retired ID is
// only reused for the same code in the same function.
//
// Limits: a loop or branch whose header and body both changed, or whose function and header both
// changed, between two runs is a new marker, whatever its name. Of several equal markers whose
// bodies all changed, each is identified by its position only.
package registry
