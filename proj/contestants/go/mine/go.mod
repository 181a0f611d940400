module mine

go 1.24
