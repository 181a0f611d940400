package loadtest

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// nodeEarly: Node's own server answers before it has read a body that nobody asked for, and reads
// it afterwards.
func nodeEarly(t *testing.T, e load.Engine) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH: the same is tried with a server that follows a script")
	}
	cmd := exec.Command(node, "-e", `
const s = require('http').createServer((q, r) => r.end('ok'))
s.listen(0, '127.0.0.1', () => console.log('127.0.0.1:' + s.address().port))
process.stdin.on('close', () => process.exit()).resume()`)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("node does not start: %v", err)
	}
	defer cmd.Wait()
	defer stdin.Close()
	addr, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Skipf("node does not listen: %v", err)
	}
	j := load.Job{Endpoint: wire.TCP(strings.TrimSpace(addr)), Scenario: values(), Connections: 4, Workers: 2,
		Timeout: never}
	upload(&j)
	ok := "ok"
	j.Scenario.Requests[0].Expect.Body = &ok
	if l := run(t, open(t, e, j), load.Window{Requests: 12}); l.Succeeded != 12 {
		t.Errorf("%+v", l)
	}
}
