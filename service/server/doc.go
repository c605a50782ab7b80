// Package server is the central service of the fleet over HTTP: it takes batches, and answers who asks what an API
// costs. openapi.yaml describes the interface; the tests hold every answer against it.
//
//	s, err := server.New(store, server.Options{Catalogue: c, Pages: pages})
//	err = server.Serve(ctx, listener, s, server.Limits{})
//
// A request that is refused gets a problem document (fleet.Problem) with a status that says whose turn it is: 4xx, the
// client has to do something else; 429, 503 and 507, the same request may do later. A batch is taken whole or
// not at all, and answered only when it is safe in the store.
//
// Nothing that a request brings is believed: sizes are limits on reading, not lengths to allocate; what is in a batch
// is checked before the store sees it (package-level doc of check.go); who does not send or read in time is cut off.
// Several servers may share a store. They know nothing of each other.
package server
