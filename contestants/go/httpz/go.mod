module httpz

go 1.24

require github.com/aeilang/httpz v1.1.2
