module example.com/vendored

go 1.26.0

require (
	example.com/dep v1.2.3
	example.com/unused v0.1.0 // indirect
)
