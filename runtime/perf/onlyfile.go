//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/internal/lite"

// listed is what the file of only=@FILE names: a marker's ID or a glob on each line.
// What a command that chooses among thousands of markers has to say does not fit into
// an environment variable.
type listed struct {
	given bool
	ids   []uint64 // sorted
	globs string   // with ; between
}

// parse takes in what is in the file.
func (l *listed) parse(text string) {
	l.given = true
	var globs []byte
	for rest := text; rest != ""; {
		var line string
		line, rest = lite.Cut(rest, '\n')
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if id, ok := lite.ParseHex(line); ok {
			l.ids = append(l.ids, id)
		} else if line != "" {
			globs = append(append(globs, line...), ';')
		}
	}
	l.globs = string(globs)
	lite.Sort(len(l.ids), func(i, j int) bool { return l.ids[i] < l.ids[j] }, func(i, j int) { l.ids[i], l.ids[j] = l.ids[j], l.ids[i] })
}

// has says whether the ID is among those of the file.
func (l *listed) has(id string) bool {
	n, ok := lite.ParseHex(id)
	if !ok {
		return false
	}
	i := lite.Search(len(l.ids), func(i int) bool { return l.ids[i] < n })
	return i < len(l.ids) && l.ids[i] == n
}
