package trace

import "fmt"

// Cautions returns the cautions about a trace, like Profile.Cautions. Cautions about the file start
// with its name.
func (h *Head) Cautions() []string {
	list := h.Clock.Cautions(h.Warnings[:len(h.Warnings):len(h.Warnings)])
	for _, text := range h.Traced.Cautions(nil) {
		list = append(list, h.Name+": "+text)
	}
	if h.Unplaced > 0 {
		list = append(list, fmt.Sprintf("%s: where %d of them are missing is not known, so some scopes may be too long", h.Name, h.Unplaced))
	}
	return list
}
