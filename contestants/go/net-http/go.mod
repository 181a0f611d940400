module net-http

go 1.24

require routes v0.0.0

replace routes => ./routes
