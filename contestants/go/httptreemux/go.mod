module httptreemux

go 1.24

require github.com/dimfeld/httptreemux/v5 v5.5.0
