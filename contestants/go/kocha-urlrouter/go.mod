module kocha-urlrouter

go 1.24

require (
	dyno/harness v0.0.0
	github.com/naoina/kocha-urlrouter v0.0.0-20140609163054-ad3a6f079210
)

replace dyno/harness => ../../shared/harness-go
