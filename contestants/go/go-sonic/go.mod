module go-sonic

go 1.24

require github.com/bytedance/sonic v1.15.3
