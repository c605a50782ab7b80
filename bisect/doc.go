// Package bisect finds the commit after which a figure of a program changed.
//
// A Search finds the commit by git bisect: it proposes commits, and the caller says of each whether
// its figure is the old or the new one. A Judge tells that from the figure's values at both ends.
//
//	s, err := bisect.Start(ctx, git, old, new, names)
//	for {
//		commit := s.Next()
//		if commit == "" { … }
//		… build the commit and measure the figure
//		err = s.Say(ctx, commit, verdict)
//	}
//	first := s.Found()
//
// The commit that halves those left is proposed, with weights: one that changes the code of the
// marker's function, or of what that uses or is used by, weighs more than one that changes other
// code. So most searches take fewer builds than without. The weights have no influence on the result.
package bisect
