module rivet

go 1.24

require github.com/typepress/rivet v1.1.1-0.20151208095308-d62b4fcaf6b9
