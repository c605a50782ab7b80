package pages

import (
	"sync"

	"github.com/markgen/markgen/service/catalogue"
)

// Kept lists are those of the first page and of what is new, which everybody asks for and for which the whole
// catalogue is gone through. They are made anew as soon as the catalogue has changed.
type kept struct {
	mu      sync.Mutex
	changes uint64 // of the catalogue that they are of
	lists   map[catalogue.List]catalogue.Listed
}

// mostKept is how many lists are kept; each has some hundred APIs at most.
const mostKept = 16

// list is the catalogue's list, which is not to be changed.
func (k *kept) list(x *catalogue.Index, l catalogue.List) catalogue.Listed {
	k.mu.Lock()
	defer k.mu.Unlock()
	changes := x.Changes()
	list, ok := k.lists[l]
	if ok && changes == k.changes {
		return list
	}
	if changes != k.changes || len(k.lists) >= mostKept || k.lists == nil {
		k.changes, k.lists = changes, map[catalogue.List]catalogue.Listed{}
	}
	list = x.List(l) // it may have changes that came after; then the next one makes it anew
	k.lists[l] = list
	return list
}
