//go:build ignore

package other

func main() { variant(1) }
