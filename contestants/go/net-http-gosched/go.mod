module net-http-gosched

go 1.24

require dyno/harness v0.0.0

replace dyno/harness => ../../shared/harness-go
