module goframe

go 1.24

require github.com/gogf/gf/v2 v2.9.5 // indirect
