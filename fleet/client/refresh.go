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

// refreshAtOnce is the number of APIs per request.
const refreshAtOnce = 1000

// Refresh updates a copy of the catalogue, or of what a query selects. p is the copy, or nil for a
// new one; cursor is the one returned with it by the last call, or "". Only changes since then are
// transferred. It returns the copy, which may be p, the next cursor, and the number of APIs
// received. progress, unless nil, is called with the number of APIs in the copy.
//
// If the server rejects the cursor, since its store was restored, Refresh makes a new copy.
//
// Each call needs the same query. After an error the copy has what was received, and the cursor
// fits it.
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
		v.Set("cursor", cursor) // even if empty: it makes this a request for changes
		res, err := c.get(ctx, "v1/catalogue", v, http.Header{"Accept": {profileType}})
		var refused *fleet.Problem
		if errors.As(err, &refused) && refused.Type == "/problems/bad-request" && cursor != "" && !anew {
			// If something else is wrong, the request without cursor fails too.
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
		*p = *part // its fields about runs are those of the whole catalogue
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
