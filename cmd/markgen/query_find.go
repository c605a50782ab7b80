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

// found are the APIs that a name means.
type found struct {
	list  []client.API
	total int  // how many there are
	more  bool // and others, which were not counted
	one   bool // the name means this one, and no other
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

// mostFound is how many APIs are looked at for those that a name or a pattern means.
const mostFound = 1000

// findAPIs finds what a name means: the API of that name; else the one whose name ends with it from a dot or slash
// on; else all that have it as a part, or fit it as a pattern.
func findAPIs(ctx context.Context, c *client.Client, name string, q client.Query) (*found, error) {
	limit := q.Limit
	q.Words, q.Package, q.Function, q.Limit = strings.ReplaceAll(fleet.PlainName(name), "*", " "), "", "", mostFound
	if strings.TrimSpace(q.Words) == "" {
		q.Words, q.Sort = "", "total"
	}
	// What is found has to be there whatever figures are asked for: those are looked for afterwards.
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
	if len(fit) == len(l.APIs) { // all that the server found
		f.total = l.Total
	}
	return f, nil
}

func endsWith(name, end string) bool {
	rest, ok := strings.CutSuffix(name, end)
	return ok && rest != "" && strings.ContainsAny(rest[len(rest)-1:], "./")
}

// globbed tells whether a name fits a pattern, or its end from a dot or slash on does.
func globbed(pattern, name string) bool {
	return glob.Match(pattern, name) || glob.Match("*."+pattern, name) || glob.Match("*/"+pattern, name)
}

// noSuch is the error that no API has the name, with those that have names like it.
func noSuch(ctx context.Context, c *client.Client, name string) error {
	words := strings.FieldsFunc(fleet.PlainName(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	ask := []client.Query{{Sort: "count", Limit: mostFound}} // what is called most is asked for most
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

// fromEnd is how far a word is from a name, or from the end of it from a dot or slash on that is nearest.
func fromEnd(word, name string) int {
	least := spelling.Distance(word, name)
	for i := range name {
		if i > 0 && strings.ContainsAny(name[i-1:i], "./") && len(name)-i <= 2*len(word) {
			least = min(least, spelling.Distance(word, name[i:]))
		}
	}
	return least
}
