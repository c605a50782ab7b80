package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/spelling"
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/units"
)

// found has the APIs that match a name.
type found struct {
	list  []client.API
	total int  // number of matches
	more  bool // there are more, which were not counted
	one   bool // the name identifies one API
}

func (f *found) of() string {
	text := units.Count(uint64(f.total))
	if f.more {
		text = "more than " + text
	}
	return text
}

func (f *found) ids() (list []string) {
	for _, a := range f.list {
		list = append(list, a.ID)
	}
	return list
}

// mostFound is the maximum number of APIs that are searched for a name or a pattern.
const mostFound = 1000

// findAPIs returns the APIs that match a name: the API with that name; or else those whose name
// ends with it, after a dot or slash; or else all that contain it, or match it as a pattern. Those
// with the largest totals come first.
func findAPIs(ctx context.Context, c *client.Client, name string, q client.Query) (*found, error) {
	limit := q.Limit
	q.Words, q.Package, q.Function, q.Limit = strings.ReplaceAll(fleet.PlainName(name), "*", " "), "", "", mostFound
	if strings.TrimSpace(q.Words) == "" {
		q.Words, q.Sort = "", "total"
	}
	// Search without filters on the data: those are applied afterwards.
	l, err := c.APIs(ctx, client.Query{Words: q.Words, Kind: q.Kind, Sort: q.Sort, Limit: mostFound})
	if err != nil {
		return nil, err
	}
	var exact, ends, fit []client.API
	for _, a := range l.APIs {
		plain := fleet.PlainName(a.Name)
		switch {
		case a.Name == name:
			return &found{list: []client.API{a}, total: 1, one: true}, nil
		case plain == fleet.PlainName(name):
			exact = append(exact, a)
		case endsWith(plain, fleet.PlainName(name)):
			ends = append(ends, a)
		}
		if !strings.Contains(fleet.PlainName(name), "*") || globbed(fleet.PlainName(name), plain) {
			fit = append(fit, a)
		}
	}
	for _, list := range [][]client.API{exact, ends, fit} {
		slices.SortStableFunc(list, func(a, b client.API) int { return cmp.Compare(totalNS(b), totalNS(a)) })
	}
	for _, list := range [][]client.API{exact, ends} {
		if len(list) == 1 {
			return &found{list: list, total: 1, one: true}, nil
		}
		if len(list) > 1 {
			return &found{list: list[:min(limit, len(list))], total: len(list)}, nil
		}
	}
	if len(fit) == 0 {
		return nil, noSuch(ctx, c, name)
	}
	f := &found{list: fit[:min(limit, len(fit))], total: len(fit), more: l.More}
	if len(fit) == len(l.APIs) { // all results of the server
		f.total = l.Total
	}
	return f, nil
}

// totalNS returns the total of an API, which may exceed a uint64.
func totalNS(a client.API) float64 {
	ns, _ := a.TotalNS.Float64() // 0 if it has no times
	return ns
}

func endsWith(name, end string) bool {
	rest, ok := strings.CutSuffix(name, end)
	return ok && rest != "" && strings.ContainsAny(rest[len(rest)-1:], "./")
}

// globbed reports whether a name, or its end after a dot or slash, matches a pattern.
func globbed(pattern, name string) bool {
	return glob.Match(pattern, name) || glob.Match("*."+pattern, name) || glob.Match("*/"+pattern, name)
}

// noSuch returns the error for a name without matches, with similar names.
func noSuch(ctx context.Context, c *client.Client, name string) error {
	words := strings.FieldsFunc(fleet.PlainName(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	ask := []client.Query{{Sort: "count", Limit: mostFound}} // the most frequently called APIs are the most likely
	for i := range words {
		if some := slices.Concat(words[:i], words[i+1:]); len(some) > 0 {
			ask = append(ask, client.Query{Words: strings.Join(some, " "), Limit: mostFound})
		}
	}
	near := map[string]int{}
	for _, q := range ask {
		l, err := c.APIs(ctx, q)
		if err != nil {
			return err
		}
		for _, a := range l.APIs {
			if d := fromEnd(fleet.PlainName(name), fleet.PlainName(a.Name)); d <= 1+len(name)/6 {
				near[a.Name] = d
			}
		}
	}
	if len(near) == 0 {
		return fmt.Errorf("%s knows no API with %q in its name", c.Host(), name)
	}
	var names []string
	for name := range near {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(near[a], near[b]), cmp.Compare(a, b)) })
	return fmt.Errorf("%s knows no API with %q in its name; near are:\n  %s", c.Host(), name, strings.Join(names[:min(5, len(names))], "\n  "))
}

// fromEnd returns the edit distance of a word to a name, or to the closest part of the name after a
// dot or slash.
func fromEnd(word, name string) int {
	least := spelling.Distance(word, name)
	for i := range name {
		if i > 0 && strings.ContainsAny(name[i-1:i], "./") && len(name)-i <= 2*len(word) {
			least = min(least, spelling.Distance(word, name[i:]))
		}
	}
	return least
}
