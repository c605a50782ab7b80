package m

import "fmt"
import "os"

func several() {
	fmt.Println(os.Args)
}
