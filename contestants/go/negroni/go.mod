module negroni

go 1.24

require github.com/urfave/negroni/v3 v3.1.2
