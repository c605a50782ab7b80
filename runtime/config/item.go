package config

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
		item.Text, value = Cut(value, ',')
	}
	item.Key, item.Value = Cut(item.Text, '=')
	item.HasValue = len(item.Text) > len(item.Key)
	return item, value
}

// Cut splits text at the first sep; rest is "" when there is none.
func Cut(text string, sep byte) (before, rest string) {
	for i := range len(text) {
		if text[i] == sep {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}
