module go-restful

go 1.24

require (
	dyno/harness v0.0.0
	github.com/emicklei/go-restful/v3 v3.14.0
)

replace dyno/harness => ../../shared/harness-go
