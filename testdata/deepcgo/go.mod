module example.com/deepcgo

go 1.25
