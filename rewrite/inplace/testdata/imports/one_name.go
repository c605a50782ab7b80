package m

import f "fmt"

func oneName() {
	f.Println()
}
