package m

import (
	"fmt"
)

func oneBlock() {
	for i := range 3 {
		fmt.Println(i)
	}
}
