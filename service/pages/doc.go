// Package pages has the HTML pages of markgend: the catalogue, a search that answers while one types, a page for
// each API, two builds compared, and what is new.
//
//	p := pages.New(pages.Options{Store: store, Catalogue: index})
//	http.Handle("/", p)
//
// The pages are made on the server, from templates, and are whole without a script; the one there is only brings the
// answers of a search while its text is being typed. They load nothing from elsewhere, and their content security
// policy lets them load nothing but their style sheet, script and icon. There is no style and no script within a page.
//
// Whoever mounts them decides who may read them. What is below Assets has no figures and has to be open to all, as
// the page with the form for a token needs it.
package pages
