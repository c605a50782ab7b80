package m

type byName []string

func (x byName) Len() int           { return len(x) }
func (x byName) Less(i, j int) bool { return x[i] < x[j] } // aligned
func (x byName) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }
