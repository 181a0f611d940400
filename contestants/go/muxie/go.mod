module muxie

go 1.24

require github.com/kataras/muxie v1.1.2
