module possum

go 1.26.0

require (
	dyno/harness v0.0.0
	github.com/mikespook/possum v0.0.0-20170224044927-56d7ebb6470b
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	gopkg.in/fsnotify.v1 v1.4.7 // indirect
)
