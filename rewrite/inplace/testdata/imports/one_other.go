package m

import "example.com/m/other"

func oneOther() {
	other.F()
}
