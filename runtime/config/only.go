package config

import "github.com/markgen/markgen/runtime/internal/lite"

// Only is the content of the file of only=@FILE: a marker's ID or a glob on each line. A choice
// among thousands of markers does not fit into an environment variable. The zero Only means that no
// file was given.
type Only struct {
	Given bool
	Globs string   // with ; between them
	ids   []uint64 // sorted
}

// ParseOnly parses the text of such a file.
func ParseOnly(text string) (o Only) {
	o.Given = true
	var globs []byte
	for rest := text; rest != ""; {
		var line string
		line, rest = lite.Cut(rest, '\n')
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if id, ok := lite.ParseHex(line); ok {
			o.ids = append(o.ids, id)
		} else if line != "" {
			globs = append(append(globs, line...), ';')
		}
	}
	o.Globs = string(globs)
	lite.Sort(len(o.ids), func(i, j int) bool { return o.ids[i] < o.ids[j] }, func(i, j int) { o.ids[i], o.ids[j] = o.ids[j], o.ids[i] })
	return o
}

// Has reports whether the file lists the ID.
func (o *Only) Has(id string) bool {
	n, ok := lite.ParseHex(id)
	if !ok {
		return false
	}
	i := lite.Search(len(o.ids), func(i int) bool { return o.ids[i] < n })
	return i < len(o.ids) && o.ids[i] == n
}
