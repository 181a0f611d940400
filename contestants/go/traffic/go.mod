module traffic

go 1.24

require (
	github.com/pilu/traffic v0.5.3
	routes v0.0.0
)

replace routes => ../../shared/routes

require (
	github.com/pilu/config v0.0.0-20131214182432-3eb99e6c0b9a // indirect
	github.com/pilu/miniassert v0.0.0-20140522125902-bee63581261a // indirect
)
