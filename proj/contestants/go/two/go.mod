module two

go 1.24
