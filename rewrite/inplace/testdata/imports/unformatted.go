package m
import (
	"os"
  "fmt"
 "strings"
)

func unformatted( )  { for _,x:=range os.Args { if x!="" { fmt.Println( strings.ToUpper(x)) } }

	return }
