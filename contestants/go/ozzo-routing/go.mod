module ozzo-routing

go 1.24

require github.com/go-ozzo/ozzo-routing/v2 v2.4.0
