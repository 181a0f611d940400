module echo

go 1.25.0

require (
	dyno/harness v0.0.0
	github.com/labstack/echo/v5 v5.4.4
)

replace dyno/harness => ../../shared/harness-go
