module net-http-arena

go 1.24

require (
	dyno/harness v0.0.0
	items v0.0.0
	templates v0.0.0
)

replace items => ../../shared/arena

replace dyno/harness => ../../shared/harness-go

replace templates => ../../shared/templates
