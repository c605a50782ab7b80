// Package server is the central service of the fleet over HTTP: it accepts batches, and answers
// what an API costs. openapi.yaml describes the interface; tests/server checks every answer against it.
//
//	s, err := server.New(store, server.Options{Catalogue: c, Pages: pages})
//	err = server.Serve(ctx, listener, s, server.Limits{})
//
// A refused request gets a problem document (fleet.Problem). Its status says who has to act: after
// 429, 503 and 507 the client may repeat the request later; after another 4xx it has to send
// something else. A batch is accepted completely or not at all, and answered only when it is safe
// in the store.
//
// Requests are not trusted: sizes limit reading and are not allocated in advance; the content of a
// batch is checked before the store gets it (see check.go); clients that send or read too slowly
// are disconnected. Several servers may share a store without knowing of each other.
package server
