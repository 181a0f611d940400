module golf

go 1.24

require github.com/dinever/golf v0.3.0
