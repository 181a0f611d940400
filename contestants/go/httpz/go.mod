module httpz

go 1.24

require (
	dyno/harness v0.0.0
	github.com/aeilang/httpz v1.1.2
)

replace dyno/harness => ../../shared/harness-go
