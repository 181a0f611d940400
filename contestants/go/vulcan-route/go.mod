module vulcan-route

go 1.24

require (
	dyno/harness v0.0.0
	github.com/mailgun/route v0.0.0-20191025171320-daa4df6c711a
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/gravitational/trace v1.5.0 // indirect
	github.com/vulcand/predicate v1.3.0 // indirect
	golang.org/x/net v0.34.0 // indirect
	gopkg.in/check.v1 v1.0.0-20201130134442-10cb98267c6c // indirect
)
