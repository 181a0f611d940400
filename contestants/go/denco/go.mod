module denco

go 1.24

require (
	dyno/harness v0.0.0
	github.com/naoina/denco v0.0.0-20180930074809-8475105a6b4c
)

replace dyno/harness => ../../shared/harness-go
