// Package client asks the central service of a fleet what APIs cost.
//
//	c := client.Client{Server: "https://perf.example.com", Token: token}
//	found, err := c.APIs(ctx, client.Query{Words: "buf write", Limit: 10})
//	p, err := c.Profile(ctx, client.Query{Package: "bytes", Function: "(*Buffer).Write"})
//
// What a server refuses is a *fleet.Problem, also where something between here and there refuses and speaks no such
// documents. Answers are read up to a limit: a server is believed no more than it believes its clients.
package client
