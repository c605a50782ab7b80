// Package bisect finds the commit after which a figure of a program changed.
//
// A Search finds the commit by git bisect: it proposes commits, and the caller says of each whether
// its figure is the old or the new one. A Judge tells that from the figure's values at both ends.
//
//	s, err := bisect.Start(ctx, git, old, new, names)
//	for {
//		commit, err := s.Next(ctx)
//		if err != nil || commit == "" { … }
//		… build the commit and measure the figure
//		err = s.Say(ctx, commit, verdict)
//	}
//	first := s.Found()
//
// Commits are proposed in an order that needs few builds: first those that change the code of the
// marker, or of what it calls or is called by; then those that change any Go code; then the middle
// of what is left. The order has no influence on the result.
package bisect
