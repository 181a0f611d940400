module traffic

go 1.24

require (
	github.com/pilu/config v0.0.0-20131214182432-3eb99e6c0b9a // indirect
	github.com/pilu/traffic v0.5.3 // indirect
	routes v0.0.0
)

replace routes => ../../shared/routes
