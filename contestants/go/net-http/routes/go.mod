module routes

go 1.24
