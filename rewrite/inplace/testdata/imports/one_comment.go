package m

// For what it prints.
import "fmt" // formatted

func oneComment() {
	fmt.Println()
}
