module traffic

go 1.24

require (
	dyno/harness v0.0.0
	github.com/pilu/traffic v0.5.3
)

replace dyno/harness => ../../shared/harness-go

require (
	github.com/pilu/config v0.0.0-20131214182432-3eb99e6c0b9a // indirect
	github.com/pilu/miniassert v0.0.0-20140522125902-bee63581261a // indirect
)
