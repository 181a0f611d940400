module bxog

go 1.24

require (
	dyno/harness v0.0.0
	github.com/claygod/Bxog v0.0.0-20220907175109-bec75fbdd5e7
)

replace dyno/harness => ../../shared/harness-go
