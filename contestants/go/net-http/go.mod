module net-http

go 1.24
