package m

import (
	"fmt"

	perf "example.com/m/internal/markgen/perf"
)

func own() {
	_ = perf.Pause()
	if perf.On {
		fmt.Println()
	}
}
