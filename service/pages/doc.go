// Package pages has the HTML pages of markgend: the catalogue, a search that answers as you type, a
// page for each API, a comparison of two builds, and what is new.
//
//	p := pages.New(pages.Options{Store: store, Catalogue: index})
//	http.Handle("/", p)
//
// The server renders pages from templates. They work without the script, which only shows search
// results during typing. They load nothing from other sites, and their content security policy
// permits only their style sheet, script and icon. No page has inline styles or scripts.
//
// The caller decides who may read them. Files under Assets contain no statistics and must be
// public, as the login page needs them.
package pages
