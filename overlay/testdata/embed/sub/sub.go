package sub

import _ "embed"

//go:embed sub.go
var text string

// Own is the source of this file.
var Own = own()

func own() string { return text }
