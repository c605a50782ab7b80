// Package trigger decides the state changes that a run makes by itself: triggers (start=, pause=,
// resume=, stop=) and the windows of every=, in combination with calls of Pause and Resume and with
// other processes, which change the state, too. The caller passes an event and the state, one of
// layout.State…, gets the request of the event, and makes the change:
//
//	if t.Begin(state, marker) { // a scope begins, and the trigger acts
//		if r, ok := m.Trigger(t, state); ok {
//			if to := m.Next(r, state); to == state || change(state, to) {
//				m.Done(r)
//			} // else another process was faster: Next again, with the new state
//		}
//	}
//
// Times are parameters, in ns on the monotonic clock. A Machine, a Timeline and a Cycle may be used
// by one goroutine at a time. The comments on the fields of a Trigger say which methods must not be
// called concurrently.
package trigger
