module example.com/collect

go 1.26.0

require github.com/markgen/markgen/runtime v0.0.0

replace github.com/markgen/markgen/runtime => ../../runtime
