module templates

go 1.24
