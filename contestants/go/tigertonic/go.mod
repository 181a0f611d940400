module tigertonic

go 1.24

require (
	dyno/harness v0.0.0
	github.com/rcrowley/go-tigertonic v0.0.0-20170420123839-fe6b9f080eb7
)

replace dyno/harness => ../../shared/harness-go

require github.com/rcrowley/go-metrics v0.0.0-20250401214520-65e299d6c5c9 // indirect
