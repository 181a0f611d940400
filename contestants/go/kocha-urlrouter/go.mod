module kocha-urlrouter

go 1.24

require (
	github.com/naoina/kocha-urlrouter v0.0.0-20140609163054-ad3a6f079210
	routes v0.0.0
)

replace routes => ../../shared/routes
