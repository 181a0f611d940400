module tango

go 1.24

require (
	dyno/harness v0.0.0
	github.com/lunny/tango v0.5.6
)

replace dyno/harness => ../../shared/harness-go

require gitea.com/lunny/log v0.0.0-20190322053110-01b5df579c4e // indirect
