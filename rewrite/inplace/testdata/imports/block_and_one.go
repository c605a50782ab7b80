package m

import (
	"fmt"
	"os"
)
import "strings"

func blockAndOne() {
	fmt.Println(strings.Join(os.Args, " "))
}
