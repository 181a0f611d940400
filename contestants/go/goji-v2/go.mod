module goji-v2

go 1.24

require (
	dyno/harness v0.0.0
	goji.io v2.0.2+incompatible
)

replace dyno/harness => ../../shared/harness-go
