// Package trigger decides what changes the state of a run by itself: triggers (start=, pause=,
// resume=, stop=) and the windows of every=, together with calls of Pause and Resume and with other
// processes, which change the state as well. The caller tells it of an event and of the state, one
// of layout.State…, is told what the event asks for, and makes the change:
//
//	if t.Begin(state, marker) { // a scope begins, and the trigger acts
//		if r, ok := m.Trigger(t, state); ok {
//			if to := m.Next(r, state); to == state || change(state, to) {
//				m.Done(r)
//			} // else another process was faster: Next again, with the new state
//		}
//	}
//
// Times are parameters, ns on the monotonic clock. A Machine, a Timeline and a Cycle are for one
// goroutine at a time. The fields of a Trigger say which methods must not be called at the same
// time.
package trigger
