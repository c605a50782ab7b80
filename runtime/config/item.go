package config

import "github.com/markgen/markgen/runtime/internal/lite"

// An Item is one key[=value] of a value of MARKGEN.
type Item struct {
	Key, Value string
	HasValue   bool   // there is an =
	Text       string // the item as given
}

// Next splits off the first item of a value of MARKGEN. Its Text is "" if there is none left.
//
//	for item, rest := config.Next(value); item.Text != ""; item, rest = config.Next(rest) {
func Next(value string) (item Item, rest string) {
	for item.Text == "" && value != "" {
		item.Text, value = lite.Cut(value, ',')
	}
	item.Key, item.Value = lite.Cut(item.Text, '=')
	item.HasValue = len(item.Text) > len(item.Key)
	return item, value
}
