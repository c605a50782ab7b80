package config

import "github.com/markgen/markgen/runtime/internal/lite"

// An Item is one key[=value] of a value of MARKGEN.
type Item struct {
	Key, Value string
	HasValue   bool   // there is a =
	Text       string // all of it, as it was given
}

// Next takes the first item off a value of MARKGEN. Its Text is "" when there is none left.
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
