module dyno/harness

go 1.24
