module gin-sql

go 1.25.0

require (
	dyno/harness v0.0.0
	github.com/gin-gonic/gin v1.12.0
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/jackc/pgx/v5 v5.13.0
)

replace dyno/harness => ../../shared/harness-go
