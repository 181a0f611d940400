module tango

go 1.24

require github.com/lunny/tango v0.5.6

require gitea.com/lunny/log v0.0.0-20190322053110-01b5df579c4e // indirect
