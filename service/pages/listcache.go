package pages

import (
	"sync"

	"github.com/markgen/markgen/service/catalogue"
)

// A listCache caches the lists of APIs on the home page and on the page /new, which are requested often
// and need a scan of the catalogue. It is cleared when the catalogue changes.
type listCache struct {
	mu      sync.Mutex
	changes uint64 // catalogue.Index.Changes of the lists
	lists   map[catalogue.List]catalogue.Listed
}

// maxCachedLists is the max number of lists, each of at most a hundred APIs or so.
const maxCachedLists = 16

// list returns x.List(query). The caller must not modify it.
func (c *listCache) list(x *catalogue.Index, query catalogue.List) catalogue.Listed {
	c.mu.Lock()
	defer c.mu.Unlock()
	changes := x.Changes()
	list, ok := c.lists[query]
	if ok && changes == c.changes {
		return list
	}
	if changes != c.changes || len(c.lists) >= maxCachedLists || c.lists == nil {
		c.changes, c.lists = changes, map[catalogue.List]catalogue.Listed{}
	}
	list = x.List(query) // it may include later changes; then the next call lists again
	c.lists[query] = list
	return list
}
