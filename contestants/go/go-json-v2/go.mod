module go-json-v2

go 1.25

require dyno/harness v0.0.0

replace dyno/harness => ../../shared/harness-go
