package scenario

import (
	"strings"
	"testing"
	"testing/fstest"

	"dyno/internal/conf"
)

func TestReadServices(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{`name = "db"
start = "./db --port {port}"
ready = "/health"
each = true
env = { DB = "tcp://{host}:{port}" }`, ""},
		{`name = "db"
url = "tcp://localhost:1"`, ""},
		{`name = "records"`, ""},
		{`start = "./db"`, "dyno.toml:1:3: a service needs a name"},
		{`name = "../db"
start = "./db"`, `dyno.toml:2:1: a service needs a name of letters, digits and -_. alone, not "../db"`},
		{`name = "db"
start = "./db"
url = "tcp://localhost:1"`, "dyno.toml:3:1: start is not for a service that already runs"},
		{`name = "db"
url = "tcp://localhost:1"
each = true`, "dyno.toml:4:1: each is not for a service that already runs, at its url; omit it"},
		{`name = "db"
url = "tcp://localhost:1"
reset = "run"`, "dyno.toml:4:1: reset is not for a service that already runs"},
		{`name = "db"
start = "./db"
reset = "day"`, `dyno.toml:4:1: "day": want epoch or run`},
		{`name = "postgres"
data = "./kept"`, "dyno.toml:3:1: \"./kept\": want tmpfs or disk; for a folder of your own, name it in start"},
		{`name = "db"
start = "./db"
port = 70000`, "dyno.toml:4:1: 70000: want a number from 1 to 65535"},
		{`name = "db"
start = "./db"
port = 5432
each = true`, "dyno.toml:5:1: each service would listen on port 5432"},
		{`name = "records"
each = true`, `each is not for a service of the folder services/`},
		{`name = "db"
start = "./db --data {data}"
seed = "./fill"`, ""},
		{`name = "db"
start = "./db"
seed = "./fill"`, "dyno.toml:4:1: seed is not for a start command without {data}, its data folder"},
		{`name = "postgres"
version = "15"`, `dyno.toml:3:1: "15": want the least version, such as ">=15"`},
		{`name = "db"
start = "./db"
version = ">=15"`, "dyno.toml:4:1: version is not for a start command"},
		{`name = "db"
start = "./db"
[[service]]
name = "db"
start = "./db"`, `the service "db" is named twice`},
	} {
		var doc struct {
			Services []Service `toml:"service"`
		}
		file, err := conf.Read(fstest.MapFS{"dyno.toml": {Data: []byte("[[service]]\n" + c.file + "\n")}}, "dyno.toml", &doc)
		if err == nil {
			err = ReadServices(file, "", doc.Services)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s\n%v; want %q", c.file, err, c.want)
		}
	}
}
