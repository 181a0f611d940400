module ozzo-routing

go 1.24

require (
	dyno/harness v0.0.0
	github.com/go-ozzo/ozzo-routing/v2 v2.4.0
)

replace dyno/harness => ../../shared/harness-go
