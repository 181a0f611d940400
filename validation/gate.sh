#!/bin/sh
# Tries the Action's gate beside a hog, in nine runs: extra CPU of 0, 5 and 20 % a request x hogs of 20, 50
# and 90 % of one CPU. Each appends a line to gate.txt; started again, it makes the missing runs.
#
#	sh validation/gate.sh DYNO FOLDER [BUDGET]     DYNO: the program, absolute; about 11 min at 60s
set -u
dyno=$1 budget=${3:-60s}
mkdir -p "$2" && cd "$2" || exit 1
cat >server.py <<'P'
import http.server, os, sys, time
extra = 1 + float(sys.argv[1]) / 100
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        x = 0
        for i in range(int(20000 * extra)): x += i
        self.send_response(200); self.send_header("Content-Length", "3"); self.end_headers(); self.wfile.write(b"ok\n")
    def log_message(self, *a): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), H).serve_forever()
P
cat >hog.py <<'P'
import sys, time
share = float(sys.argv[1]) / 100
while True:
    end = time.monotonic() + share / 10
    while time.monotonic() < end: pass
    time.sleep((1 - share) / 10)
P
touch gate.txt
for hog in 20 50 90; do for extra in 0 5 20; do
    grep -q "^hog $hog % extra $extra %:" gate.txt && continue
    python3 hog.py $hog & pid=$!
    trap 'kill $pid; exit 1' INT TERM
    "$dyno" compare "python3 server.py 0" "python3 server.py $extra" --name base --name head --primary cpu_per_request \
        --fail-if 'cpu_per_request>5%' --budget "$budget" --run-folder "run-$hog-$extra" >out.txt 2>err.txt; code=$?
    kill $pid; trap - INT TERM
    [ $code -le 1 ] && grep -q '^fail-if' out.txt || { tail -3 err.txt >&2; exit 1; }
    echo "hog $hog % extra $extra %: exit $code, $(grep '^fail-if' out.txt)" | tee -a gate.txt
done; done
