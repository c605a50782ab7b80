package m

import (
	"fmt"
	"os"
)

import (
	"strings"
)

func blocks() {
	fmt.Println(strings.Join(os.Args, " "))
}
