module cloudykit-router

go 1.24

require (
	dyno/harness v0.0.0
	github.com/cloudykit/router v0.0.0-20170501012743-15c4ed71df81
)

replace dyno/harness => ../../shared/harness-go
