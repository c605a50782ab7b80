package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// refreshAtOnce is how many APIs are asked for at a time.
const refreshAtOnce = 1000

// Refresh brings a copy of the catalogue, or of what a query chooses of it, up to date: p is the copy, nil if there is none yet,
// and cursor what came with it the last time, "" at first. Only what has changed since is sent. It returns the copy, which may
// be p, the next cursor, and how many APIs came. progress, if there is one, is told how many there are so far.
//
// A server that does not know the cursor, since its store was restored, is asked for all, and the copy is of that only.
//
// The same query has to be asked each time. Of an error what came before is in the copy, and the cursor is of that.
func (c *Client) Refresh(ctx context.Context, p *profile.Profile, cursor string, q Query, progress func(apis int)) (_ *profile.Profile, next string, came int, err error) {
	at := map[registry.ID]int{}
	if p == nil {
		p, cursor = &profile.Profile{}, ""
	}
	for i := range p.Markers {
		at[p.Markers[i].ID] = i
	}
	defer func() {
		slices.SortFunc(p.Markers, func(a, b profile.Marker) int { return profile.CompareMarkers(&a, &b) })
	}()
	q.Limit, q.Cursor, q.Words, q.Sort = refreshAtOnce, "", "", ""
	for anew := false; ; {
		v := q.values()
		v.Set("cursor", cursor) // also an empty one: it says that changes are asked for
		res, err := c.get(ctx, "v1/catalogue", v, http.Header{"Accept": {profileType}})
		var refused *fleet.Problem
		if errors.As(err, &refused) && refused.Type == "/problems/bad-request" && cursor != "" && !anew {
			// If it is something else that is wrong, it is so without a cursor, too.
			anew = true
			p, cursor, came, at = &profile.Profile{}, "", 0, map[registry.ID]int{}
			continue
		}
		if err != nil {
			return p, cursor, came, err
		}
		part, err := readProfile(res)
		res.Body.Close()
		if err != nil {
			return p, cursor, came, err
		}
		more, err := strconv.ParseBool(res.Header.Get("Markgen-More"))
		if err != nil || res.Header.Get("Markgen-Cursor") == "" && more {
			return p, cursor, came, fmt.Errorf("%s does not say where to go on; is it a markgend of another version?", c.Host())
		}
		markers := p.Markers
		for i := range part.Markers {
			m := part.Markers[i]
			if k, ok := at[m.ID]; ok {
				markers[k] = m
				continue
			}
			at[m.ID] = len(markers)
			markers = append(markers, m)
		}
		came += len(part.Markers)
		*p = *part // what it says of the runs is of all
		p.Markers = markers
		cursor = res.Header.Get("Markgen-Cursor")
		if progress != nil {
			progress(len(markers))
		}
		if !more {
			return p, cursor, came, nil
		}
	}
}
