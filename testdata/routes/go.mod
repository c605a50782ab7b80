module example.com/routes

go 1.26.0
