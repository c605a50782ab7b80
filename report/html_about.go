package report

import (
	"fmt"
	"html"
	"strings"
)

// pageAbout is the content of a page above its table.
type pageAbout struct {
	Title    string
	Compared bool
	Verdicts *pageCompared
	About    string
	Head     []headLine
	Cautions []string
	Summary  pageSummary
	Remark   string
}

// A markup is HTML being written. (html/template is not used: with it, the linker keeps every
// exported method, since a template could call it.)
type markup struct{ strings.Builder }

// add appends a line of HTML. Each %s in format is replaced with a text, escaped.
func (m *markup) add(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(m, format+"\n", escaped...)
}

// html returns the HTML after the title.
func (a *pageAbout) html() string {
	m := new(markup)
	if len(a.Cautions) > 0 {
		m.add(`<section class="cautions" aria-label="cautions">`)
		m.add(`<ul>`)
		for _, c := range a.Cautions {
			m.add(`<li>%s</li>`, c)
		}
		m.add(`</ul>`)
		m.add(`</section>`)
	}
	if a.Verdicts != nil {
		a.Verdicts.write(m)
	}
	a.Summary.write(m)
	if a.Compared {
		switch v := a.Verdicts; {
		case v == nil:
			m.add(`<p class="note">Changes are of new against old, one figure a side. Which of them are more than chance, markgen diff says.</p>`)
		case v.Rule != "":
			m.add(`<p class="note" id="rule">coloured: <span class="more">worse</span> and <span class="less">better</span> as in markgen diff, %s; nothing else is coloured</p>`, v.Rule)
		default:
			m.add(`<p class="note" id="rule">nothing is coloured: %s</p>`, v.Unknown)
		}
	}
	m.add(`<details class="about">`)
	m.add(`<summary>%s</summary>`, a.About)
	a.writeHead(m)
	m.add(`</details>`)
	if a.Remark != "" {
		m.add(`<p class="note">%s</p>`, a.Remark)
	}
	return m.String()
}

// writeHead writes the head, with two columns if there are two profiles.
func (a *pageAbout) writeHead(m *markup) {
	if !a.Compared {
		m.add(`<dl class="head">`)
		for _, l := range a.Head {
			m.add(`<div><dt>%s</dt><dd>%s</dd></div>`, l.Word, l.Now)
		}
		m.add(`</dl>`)
		return
	}
	m.add(`<table class="head">`)
	m.add(`<thead><tr><td></td><th scope="col">old</th><th scope="col">new</th></tr></thead>`)
	m.add(`<tbody>`)
	both := func(l headLine) { m.add(`<tr><th scope="row">%s</th><td colspan="2">%s</td></tr>`, l.Word, l.Now) }
	for _, l := range a.Head {
		if l.Now == l.Before {
			both(l)
		} else {
			m.add(`<tr><th scope="row">%s</th><td>%s</td><td>%s</td></tr>`, l.Word, l.Before, l.Now)
		}
	}
	if a.Verdicts != nil {
		for _, l := range a.Verdicts.Facts {
			both(l)
		}
	}
	m.add(`</tbody>`)
	m.add(`</table>`)
}

// write writes the result of a comparison.
func (v *pageCompared) write(m *markup) {
	m.add(`<dl class="summary">`)
	if v.Rule != "" {
		m.add(`<div><dt>markers</dt>`)
		for _, c := range []struct{ verdict, class, count string }{{"worse", "more", v.Worse}, {"better", "less", v.Better}} {
			if c.count == "" {
				m.add(`<dd>none %s</dd>`, c.verdict)
			} else {
				m.add(`<dd><button type="button" data-verdict="%s" title="show these alone"><span class="%s">%s %s</span></button></dd>`, c.verdict, c.class, c.count, c.verdict)
			}
		}
		m.add(`</div>`)
	}
	for _, s := range v.Shared {
		class := "less"
		if s.Verdict == "worse" {
			class = "more"
		}
		m.add(`<div><dt>all markers</dt><dd>%s <span class="%s">%s %s</span></dd></div>`, s.At, class, s.Change, s.Verdict)
	}
	m.add(`</dl>`)
}

// write writes the summary.
func (s *pageSummary) write(m *markup) {
	m.add(`<dl class="summary">`)
	for _, l := range s.Facts {
		m.add(`<div><dt>%s</dt><dd>%s</dd></div>`, l.Word, l.Now)
	}
	if s.Unvisited != "" {
		m.add(`<div><dt>unvisited</dt><dd><button type="button" data-visited="unvisited" title="show the markers that were never reached">%s</button></dd></div>`, s.Unvisited)
	}
	if len(s.Most) > 0 {
		m.add(`<div class="most"><dt>%s</dt>`, s.Word)
		for _, k := range s.Most {
			share := ""
			if k.Share != "" {
				share = ", " + k.Share
			}
			m.add(`<dd><a href="#%s" title="%s">%s</a> %s%s</dd>`, k.ID, k.Name, k.Short, k.Amount, share)
		}
		m.add(`</div>`)
	}
	m.add(`</dl>`)
}
