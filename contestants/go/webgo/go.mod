module webgo

go 1.24

require (
	dyno/harness v0.0.0
	github.com/bnkamalesh/webgo/v7 v7.0.0
)

replace dyno/harness => ../../shared/harness-go
