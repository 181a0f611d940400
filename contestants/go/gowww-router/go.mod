module gowww-router

go 1.24

require github.com/gowww/router v1.0.0
