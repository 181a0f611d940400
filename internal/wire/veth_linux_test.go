package wire

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// To finds the link to another machine, and its speed: a pair of virtual cards in a separate
// network namespace, which report 10 Gbit/s.
func TestLinkOfVeth(t *testing.T) {
	const inside = "DYNO_TEST_VETH"
	if os.Getenv(inside) != "" {
		if l, ok := LinkTo("10.99.0.2:80"); !ok || l != (Link{"v0", 10e9}) {
			t.Errorf("%+v, %v", l, ok)
		}
		if l, ok := LinkTo("10.99.0.1:80"); ok { // its own address
			t.Errorf("to itself: %+v", l)
		}
		if l, ok := LinkTo("192.0.2.1:80"); ok {
			t.Errorf("without a route: %+v", l)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := `mount -t sysfs none /sys && ip link add v0 type veth peer name v1 && ip addr add 10.99.0.1/24 dev v0 &&
		ip link set v0 up && ip link set v1 up || { echo no namespace; exit 0; }
		exec "$0" -test.run TestLinkOfVeth`
	cmd := exec.Command("unshare", "--net", "--mount", "sh", "-c", script, self)
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	switch {
	case strings.Contains(string(out), "no namespace"), err != nil && !strings.Contains(string(out), "FAIL"):
		t.Skipf("no network namespace with virtual cards can be made here: %v: %s", err, out)
	case err != nil:
		t.Errorf("%v: %s", err, out)
	}
}
