module go-json-v2

go 1.25
