module bear

go 1.24

require github.com/ursiform/bear v1.0.1
