package study

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func TestReadErrors(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(fakeStudy, old) {
			t.Fatalf("no %q in the study", old)
		}
		return strings.Replace(fakeStudy, old, new, 1)
	}
	const claim = "\n[[claim]]\nid = \"x\"\nsentences = [\"F-01\"]\ntext = \"t\"\n"
	end := strings.Count(fakeStudy, "\n") // of its lines; claim adds six
	at := func(n int) string { return "studies/fake/study.toml:" + strconv.Itoa(end+n) + ":" }
	for _, c := range []struct{ name, text, want string }{
		{"missing contestant", change(`a = "fast @ c10"`, `a = "fats @ c10"`),
			`:32:1: no contestant "fats" in this study; did you mean "fast"?`},
		{"missing level", change(`b = "slow @ c10"`, `b = "slow @ c01"`),
			`:33:1: no level "c01" in this study; did you mean "c10"?`},
		{"no level named", change(`b = "slow @ c10"`, `b = "slow"`),
			`:33:1: "slow" does not name a level; want one of c10, c20, late`},
		{"no member", change(`a = "fast @ c10"`, `a = "odd @ late"`),
			`:32:1: the study has no cell odd @ late: the level "late" loads only fast, slow`},
		{"in a list", change(`cells = ["slow @ c20", "fast @ c20"]`, `cells = ["slow @ c20", "fast @ c2"]`),
			`: no level "c2"`},
		{"missing metric", fakeStudy + claim + "kind = \"order\"\nmetric = \"memroy\"\ncells = [\"fast @ c10\", " +
			"\"slow @ c10\"]\n", at(7) + `1: no metric "memroy"; did you mean "memory"?`},
		{"a metric that follows", fakeStudy + claim + "kind = \"order\"\nmetric = \"latency_mean\"\ncells = [\"fast " +
			"@ c10\", \"slow @ c10\"]\n", `no metric "latency_mean"`},
		{"twice the same id", change(`id = "direction"`, `id = "ratio"`), `: the id "ratio" is already used by claim 1`},
		{"no such kind", change(`kind = "equal"`, `kind = "equl"`), `no kind "equl"; did you mean "equal"?`},
		{"a kind that needs a field", fakeStudy + claim + "kind = \"ratio\"\na = \"fast @ c10\"\nb = \"slow @ c10\"\n",
			at(2) + `3: a claim of kind ratio needs "value"`},
		{"a kind that has no such field", fakeStudy + claim + "kind = \"equal\"\na = \"fast @ c10\"\nb = \"slow @ " +
			"c10\"\nvalue = 2.0\n", at(9) + `1: a claim of kind equal cannot have "value"; want only a, b, margin`},
		{"misspelt key", fakeStudy + claim + "kidn = \"equal\"\n", `unknown key "kidn"; did you mean "kind"?`},
		{"a ratio of one", change("value = 2.1", "value = 1.02"), "means equality; use the kind equal"},
		{"no factor", change("value = 2.1", "value = -2.0"), "want the published factor"},
		{"within", change("value = 2.1", "value = 2.1\nwithin = 0.9"), "want a factor above 1"},
		{"direction", change(`direction = "falls"`, `direction = "fall"`),
			`no direction "fall"; did you mean "falls"?`},
		{"over", change(`over = ["slow @ c10", "slow @ c20"]`, `over = ["slow @ c10"]`),
			"2 cells over 1; want equal numbers"},
		{"than", change(`than = ["slow @ c20", "slow @ c10"]`, `than = ["slow @ c20"]`), "1 cells; want two"},
		{"drop of nothing", change("value = 30\n", ""), `needs one of "value" (percent)`},
		{"bound of nothing", change("at_most = 1000\n", ""), `a claim of kind bound needs "at_least" or "at_most"`},
		{"amended for nothing", change("at_most = 1000\n", "at_most = 1000\nwas = { at_most = 900 }\n"),
			`an amended claim needs "why"`},
		{"amended from nothing", change("at_most = 1000\n", "at_most = 1000\nwas = { why = \"a slip\" }\n"),
			"want what it had before"},
		{"amended from another", change("at_most = 1000\n", "at_most = 1000\nwas = { at_least = 1, why = \"a slip\" }\n"),
			"want only what the claim has now too"},
		{"never testable", change("at_most = 1000\n", "at_most = 1000\nwas = { testable = true }\n"),
			"want only what the claim has now too"},
		{"amended metric", change("at_most = 1000\n", "at_most = 1000\nwas = { metric = \"memroy\", why = \"a slip\" }\n"),
			"no metric \"memroy\"; did you mean \"memory\"?"},
		{"amended rule", change("at_most = 1000\n", "at_most = 1000\nwas = { kind = \"trend\", cells = [\"fast @ "+
			"late\"], why = \"a slip\" }\n"),
			`a claim of kind trend needs "direction"`},
		{"restates nothing", change("at_most = 1000\n", "at_most = 1000\nrestates = \"direktion\"\n"),
			`no published claim "direktion"`},
		{"no sentence", change("sentences = [\"F-01\"]\ntext = \"Fast is twice", "text = \"Fast is twice"),
			":26:3: a claim needs \"sentences\""},
		{"a sentence's id", change("sentences = [\"F-01\"]", "sentences = [\"F1\"]"),
			"\"F1\": want the id of a sentence"},
		{"most of nothing", fakeStudy + claim + "kind = \"most\"\ncells = [\"* @ c10\"]\n",
			`a claim of kind most needs one of "near" (a share)`},
		{"all of no level", fakeStudy + claim + "kind = \"most\"\nnear = 0.1\ncells = [\"* @ c1\"]\n",
			`no contestant "*" in this study`},
		{"the worst of nothing", fakeStudy + claim + "kind = \"drop\"\nvalue = 1.0\ncells = [\"fast @ c10\"]\nover = " +
			"[\"slow @ c10\"]\n",
			`needs "a" and "b"; for the largest of several`},
		{"itself", change(`b = "slow @ c10"`, `b = "fast @ c10"`), "fast @ c10 is compared with itself"},
		{"across delays", change(`b = "slow @ c10"`, `b = "slow @ late"`),
			"fast @ c10 and slow @ late cannot be compared: they have different delays"},
		{"level twice", change("connections = 20", "connections = 10"), `level "c10" is the same as level 1, "c10"`},
		{"name twice", change(`name = "late"`, `name = "c10"`), `the name "c10" is already used by level 1`},
		{"connections", change("connections = 20", "connections = 0"), `load.connections = 0: want 1 to 60000`},
		{"delay", change(`"10ms"`, `"10"`), `"10": want a time from 0 to 1m`},
		{"work", change(`{ delay = "10ms" }`, `{ work = "gpu" }`), `no work "gpu"; want cpu`},
		{"across work", strings.Replace(change(`{ delay = "10ms" }`, `{ work = "cpu" }`), `b = "slow @ c10"`,
			`b = "slow @ late"`, 1), "fast @ c10 and slow @ late cannot be compared: they have different delays, work or"},
		{"quick rounds", change(`primary = "throughput"`, "primary = \"throughput\"\nquick_rounds = 101"),
			"quick_rounds = 101: want 0 to 100"},
		{"contestant of a level", change(`contestants = ["fast", "slow"]`, `contestants = ["fast", "solw"]`),
			`no contestant "solw" in this project; did you mean "slow"?`},
		{"contestant of the project", change(`"odd", "gone"]`, `"odd", "gome"]`),
			`:5:39: no contestant "gome" in this project; did you mean "gone"?`},
		{"scenario", change(`scenario = "s"`, `scenario = "r"`), `no scenario "r" in this project`},
		{"primary", change(`primary = "throughput"`, `primary = "speed"`), `no metric "speed"`},
		{"budget", change(`"2h"`, `"long"`), `"long": want a time such as 30m`},
		{"no title", change("title = \"Fast against slow\"\n", ""), `a study needs "title"`},
	} {
		_, err := Read(project(map[string]string{"study.toml": c.text}), "fake")
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "studies/fake/study.toml:") {
			t.Errorf("%s: %v\nwant …%s", c.name, err, c.want)
		}
	}
}

func TestReadFigures(t *testing.T) {
	const head = "contestant,level,metric,unit,value,date,source,place,note\n"
	for _, c := range []struct{ name, text, want string }{
		{"head", "a,b\n", ":1:1: want the header contestant,level"},
		{"empty", "", ":1:1: want the head"},
		{"contestant", head + "fats,c10,memory,MB,1,,,,\n",
			`:2:1: no contestant "fats" in this study; did you mean "fast"?`},
		{"level", head + "fast,c01,memory,MB,1,,,,\n", `:2:6: no level "c01"`},
		{"no level", head + "fast,,memory,MB,1,,,,\n", `:2:6: "fast" does not name a level`},
		{"metric", head + "fast,c10,memroy,MB,1,,,,\n", `:2:10: no metric "memroy"; did you mean "memory"?`},
		{"requests", head + "fast,c10,time:many,s,1,,,,\n", `:2:10: "time:many": want the number of requests`},
		{"no other cell", head + "fast,c10,drop:fast @ c1,%,1,,,,\n",
			`:2:10: "drop:fast @ c1": want another cell of this study, for example drop:fast @ c10`},
		{"nothing to lead over", head + "fast,c10,lead,%,1,,,,\n", `:2:10: no metric "lead"`},
		{"unit", head + "fast,c10,memory,ms,1,,,,\n",
			`:2:17: no unit "ms" for memory; want one of KB, KiB, MB, MiB, bytes`},
		{"value", head + "fast,c10,memory,MB,1.2.3,,,,\n", `:2:20: "1.2.3" is not a number`},
		{"missing is not zero", head + "fast,c10,memory,MB,,,,,\n", `:2:20: "" is not a number; omit the row`},
		{"fields", head + "fast,c10\n", ":2:1: 2 fields; want 9, as in the header"},
		{"quotes", head + "fast,c10,memory,MB,\"1,,,,\n", "studies/fake/figures.csv:"},
		{"all at once", head + "fats,c10,memory,MB,1,,,,\nfast,c10,memory,MB,x,,,,\n", ":3:20:"},
	} {
		_, err := Read(project(map[string]string{"study.toml": fakeStudy, "figures.csv": c.text}), "fake")
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "studies/fake/figures.csv:") {
			t.Errorf("%s: %v\nwant …%s", c.name, err, c.want)
		}
	}
}

func FuzzFigures(f *testing.F) {
	f.Add(fakeFigures)
	f.Add("contestant,level,metric,unit,value,date,source,place,note\nfast,c10,time:1,s,1e999,,,,\n")
	known := readFixture()
	f.Fuzz(func(t *testing.T, text string) {
		figures, err := readFigures(fstest.MapFS{"f.csv": {Data: []byte(text)}}, known)
		if err != nil && !strings.HasPrefix(err.Error(), "f.csv:") {
			t.Errorf("an error without a place: %v", err)
		}
		for _, x := range figures {
			if err == nil && (x.Per <= 0 || x.Base < 0) {
				t.Errorf("%+v", x)
			}
		}
	})
}

func readFixture() *Study {
	st, err := Read(project(map[string]string{"study.toml": fakeStudy}), "fake")
	if err != nil {
		panic(err)
	}
	return st
}

func readFigures(fsys fs.FS, s *Study) ([]Figure, error) {
	return ReadFigures(fsys, "f.csv", s)
}
