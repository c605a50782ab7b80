// Package fleet has the types shared by the parts of the central service: batches and their IDs,
// origins of statistics, days, queries, and problems.
//
// A marked program leaves its data in a spool (package spool). markgen push sends profiles from the
// spool in batches; markgend (package server) accepts them, and sums them in a store (package
// store), by marker, origin and day. Queries return profiles of package profile, so that they can
// be shown in every format of markgen report.
//
// A batch contains nothing that names a person, a machine or a file outside the module (see
// Anonymous in package spool).
package fleet
