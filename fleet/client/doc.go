// Package client queries the central service of a fleet.
//
//	c := client.Client{Server: "https://perf.example.com", Token: token}
//	found, err := c.APIs(ctx, client.Query{Words: "buf write", Limit: 10})
//	p, err := c.Profile(ctx, client.Query{Package: "bytes", Function: "(*Buffer).Write"})
//
// If the server refuses a request the error is a *fleet.Problem, also if something in between
// refuses it without a problem document. The size of answers is limited: the client does not trust
// the server, just as the server does not trust its clients.
package client
