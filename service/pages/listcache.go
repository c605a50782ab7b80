package pages

import (
	"sync"

	"github.com/markgen/markgen/service/catalogue"
)

// A kept caches the lists of the first page and of the news page, which are requested often and
// need a scan of the catalogue. It is cleared when the catalogue changes.
type kept struct {
	mu      sync.Mutex
	changes uint64 // catalogue.Index.Changes of the lists
	lists   map[catalogue.List]catalogue.Listed
}

// mostKept is the max number of lists, each of at most a hundred APIs or so.
const mostKept = 16

// list returns x.List(l). The caller must not modify it.
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
	list = x.List(l) // it may include later changes; then the next call lists again
	k.lists[l] = list
	return list
}
