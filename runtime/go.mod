module github.com/markgen/markgen/runtime

go 1.23
