#!/bin/sh
# Tries dyno on a server with a database: net-http-pgx against a copy of itself. Ten runs on tfb-db with a side that
# burns another 5 % of what a request takes of the server's CPU, while PostgreSQL and the load generator use all of
# theirs, and five each on tfb-db and tfb-fortunes with equal sides. Each appends a line to database.txt; started again,
# it makes the missing runs. Sixteen connections keep the database busy.
#
#	sh validation/database.sh DYNO FOLDER [BUDGET]     in a checkout; DYNO: the program, absolute; 1 h at 3m
set -eu
dyno=$1 folder=$2 budget=${3:-3m}
mkdir -p "$folder/go"
cp -r contestants/shared "$folder"
for side in base head; do
    [ -d "$folder/go/$side" ] && continue
    cp -r contestants/go/net-http-pgx "$folder/go/$side"
    sed -i "s/^name .*/name = \"$side\"/; s/^title .*/title = \"$side\"/" "$folder/go/$side/contestant.toml"
done
cd "$folder"
# burn SIDE NS: each request to SIDE burns NS ns.
burn() {
    [ -f "$1.go" ] || cp "go/$1/main.go" "$1.go"
    sed "s|nethttp.Serve(mux)|nethttp.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\\
		for end := time.Now().Add($2); time.Now().Before(end); {\\
		}\\
		mux.ServeHTTP(w, r)\\
	}))|; s|\"strconv\"|\"strconv\"\\
	\"time\"|" "$1.go" >"go/$1/main.go"
}
# run NAME SCENARIO NS: the pair's line of CPU time.
run() {
    grep -q "^$1:" database.txt && return
    burn base 0
    burn head "$3"
    code=0
    "$dyno" compare go/base go/head --scenario "$2" --connections 16 --controls none --rate none --primary cpu_per_request \
        --budget "$budget" --run-folder "run-$1" -o "$1.csv" >"$1.txt" 2>"$1.err" || code=$?
    [ $code -le 1 ] || { tail -n 3 "$1.err" >&2; exit 1; }
    echo "$1: burns $3 ns; $(awk -F, '$1 ~ / ÷ / && $3 == "cpu_per_request"' "$1.csv")" | tee -a database.txt
}
touch database.txt
run tfb-db-0-1 tfb-db 0
ns=$(awk -F, '$1 == "base" && $3 == "cpu_per_request" { print int($5 / 20) }' tfb-db-0-1.csv)
for i in 1 2 3 4 5 6 7 8 9 10; do run "tfb-db-5-$i" tfb-db "$ns"; done
for i in 1 2 3 4 5; do for scenario in tfb-db tfb-fortunes; do run "$scenario-0-$i" "$scenario" 0; done; done
