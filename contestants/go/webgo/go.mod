module webgo

go 1.24

require github.com/bnkamalesh/webgo/v7 v7.0.0
