module fastrouter

go 1.24

require github.com/razonyang/fastrouter v0.1.0
