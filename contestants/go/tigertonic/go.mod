module tigertonic

go 1.24

require (
	github.com/rcrowley/go-tigertonic v0.0.0-20170420123839-fe6b9f080eb7
	routes v0.0.0
)

replace routes => ../../shared/routes

require github.com/rcrowley/go-metrics v0.0.0-20250401214520-65e299d6c5c9 // indirect
