package importer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dyno/internal/conf"
)

// numberForm is a published number: a sign that it is vague, the number, the other end of a range,
// the unit, and a "+" that is ignored.
var numberForm = conf.Regexp(`^([~≈<>≤≥=]*)\s*` +
	`([-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)` +
	`(?:\s*-\s*([0-9]+(?:\.[0-9]+)?))?\s*([^0-9\s+~][^+~]*)?(\+?)$`)

// aboutForm matches the tolerance after a number, in per cent or in the number's unit.
var aboutForm = conf.Regexp(`\s*(?:±|\+/-)\s*([0-9.]+)\s*(%|[\wµ/]*)$`)

// clockForm is a time as minutes:seconds or hours:minutes:seconds.
var clockForm = conf.Regexp(`^(?:([0-9]+):)?([0-9]+):([0-9]+(?:\.[0-9]+)?)$`)

// goForm is a duration in several parts, such as 1m25s.
var goForm = conf.Regexp(`^(?:([0-9]+)h)?(?:([0-9]+)m)?([0-9]+(?:\.[0-9]+)?)s$`)

// typeset are characters that word processors and content management systems write for those that a
// tool printed.
var typeset = map[rune]string{
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-", '’': "'", '‘': "'",
	'“': `"`, '”': `"`, 'μ': "µ",
	'…': "...", '\u00a0': " ", '\u2007': " ", '\u2009': " ", '\u202f': " ", '\u200b': "", '\u00ad': "", '\ufeff': "",
}

// untypeset returns text as the tool printed it. at converts offsets in plain to offsets in text.
func untypeset(text string) (plain string, at func(int) int) {
	if !strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return text, func(i int) int { return i }
	}
	var b strings.Builder
	var offsets []int
	for i, c := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		was, ok := typeset[c]
		if !ok {
			was = text[i : i+size]
		}
		for range len(was) {
			offsets = append(offsets, i)
		}
		b.WriteString(was)
	}
	offsets = append(offsets, len(text))
	return b.String(), func(i int) int { return offsets[i] }
}

// spacedForm is a whole number with thousands separated by a non-breaking space.
var spacedForm = conf.Regexp(`^[0-9]{1,3}(?:[\x{a0}\x{2009}\x{202f}][0-9]{3})+`)

// unit is a printed unit; per is its size in base units.
type unit struct {
	base Unit
	per  float64
}

// units are the printed units, in lower case. A kilobyte is 1,024 bytes, as in all load generators
// read here.
var units = map[string]unit{
	"ns": {Seconds, 1e-9}, "us": {Seconds, 1e-6}, "µs": {Seconds, 1e-6}, "μs": {Seconds, 1e-6}, "ms": {Seconds, 1e-3},
	"s": {Seconds, 1}, "sec": {Seconds, 1}, "secs": {Seconds, 1}, "seconds": {Seconds, 1}, "mm:ss": {Seconds, 1},
	"m": {Seconds, 60}, "min": {Seconds, 60}, "h": {Seconds, 3600},

	"b": {Bytes, 1}, "bytes": {Bytes, 1}, "kb": {Bytes, 1 << 10}, "kib": {Bytes, 1 << 10}, "kbytes": {Bytes, 1 << 10},
	"mb": {Bytes, 1 << 20}, "mib": {Bytes, 1 << 20}, "gb": {Bytes, 1 << 30}, "gib": {Bytes, 1 << 30},
	"tb": {Bytes, 1 << 40}, "tib": {Bytes, 1 << 40},

	"/s": {PerSec, 1}, "1/s": {PerSec, 1}, "req/s": {PerSec, 1}, "reqs/s": {PerSec, 1}, "req/sec": {PerSec, 1},
	"reqs/sec": {PerSec, 1}, "requests/s": {PerSec, 1}, "requests/sec": {PerSec, 1}, "#/sec": {PerSec, 1},
	"rps": {PerSec, 1}, "per sec": {PerSec, 1},

	"count": {None, 1}, "requests": {None, 1},
}

// multiples are the letters for powers of a thousand if a column gives the unit.
var multiples = map[string]float64{"k": 1e3, "m": 1e6, "g": 1e9}

// unitOf resolves a printed unit, which may end in " approx". An unknown unit is its own base unit.
func unitOf(text string) (base Unit, per float64, approx bool) {
	text, approx = strings.CutSuffix(strings.TrimSpace(text), " approx")
	low := strings.ToLower(text)
	// Alone, these letters are bytes; "m" in lower case is minutes.
	if text == "M" || text == "K" || text == "G" { // as top prints memory
		low += "b"
	}
	if u, ok := units[low]; ok {
		return u.base, u.per, approx
	}
	for _, suffix := range []string{"/s", "/sec", "ps"} {
		if u, ok := units[strings.TrimSuffix(low, suffix)]; ok && strings.HasSuffix(low, suffix) && u.base == Bytes {
			return BPerSec, u.per, approx
		}
	}
	return Unit(text), 1, approx
}

// read sets the figure to the number in a cell; unit is the column's.
func (f *Figure) read(text, unit string) error {
	text = strings.TrimSpace(text)
	f.Text = strings.TrimSpace(text + " " + unit)
	base, per, approx := unitOf(unit)
	f.Unit = base
	if text != "" && text[0] != '.' && strings.Trim(text, "0123456789.") == "" && strings.Count(text, ".") < 2 {
		return f.set("", text, "", per, approx)
	}
	if plain, _ := untypeset(text); plain != text {
		text, _ = untypeset(spacedForm().ReplaceAllStringFunc(text, func(s string) string {
			return strings.NewReplacer("\u00a0", "", "\u2009", "", "\u202f", "").Replace(s)
		}))
	}
	f.Missing = strings.Trim(text, "-") == "" || strings.EqualFold(text, "n/a")
	if n := several(text); n > 1 {
		f.Many = n
	}
	if f.Missing || f.Many > 0 {
		f.Value, f.Lo, f.Hi = math.NaN(), math.NaN(), math.NaN()
		return nil
	}
	if strings.Contains(text, "±") || strings.Contains(text, "+/-") {
		if m := aboutForm().FindStringSubmatchIndex(text); m != nil && m[0] > 0 {
			return f.readAbout(text, m, unit)
		}
	}
	if f.clock(text) {
		return nil
	}
	m := numberForm().FindStringSubmatch(text)
	if m == nil || strings.Trim(m[2], "-+.") == "" {
		return fmt.Errorf("%q is not a number", text)
	}
	if own := strings.TrimSpace(m[4]); own != "" {
		var ok bool
		if per, ok = f.ownUnit(own, base, per); !ok {
			return fmt.Errorf("%q has an unknown unit: %q", text, own)
		}
		f.Text = text
	}
	return f.set(m[1], m[2], m[3], per, approx)
}

// readAbout reads a number with its margin, "1.20 ±13 %" or "1.20 ±0.15 ms", as a range. m holds
// the places where aboutForm matched in text.
func (f *Figure) readAbout(text string, m []int, unit string) error {
	margin, err := strconv.ParseFloat(text[m[2]:m[3]], 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", text)
	}
	own := text[m[4]:m[5]]
	value := text[:m[0]]
	if own != "%" && own != "" {
		value += " " + own
	}
	if err := f.read(value, unit); err != nil {
		return err
	}
	f.Text = strings.TrimSpace(text + " " + unit)
	if own == "%" {
		margin *= f.Value / 100
	} else {
		_, per, _ := unitOf(cmp.Or(own, unit))
		margin *= per
	}
	f.Lo, f.Hi = min(f.Lo, f.Value-margin), max(f.Hi, f.Value+margin)
	return nil
}

// set computes value and bounds in base units. The number may be vague ("~", ">") and begin a range
// that ends at other, unless other is "".
func (f *Figure) set(vague, number, other string, per float64, approx bool) error {
	number = strings.ReplaceAll(number, ",", "")
	v, err := scaled(number, per)
	if err != nil {
		return err
	}
	half, digits := precision(number, approx || strings.ContainsAny(vague, "~≈"))
	if f.Unit == None && half == 0.5 {
		half = 0 // a count is exact
	}
	f.Value, f.Lo, f.Hi, f.Digits = v*per, (v-half)*per, (v+half)*per, digits
	if f.Unit == Seconds && per == 1 && !strings.Contains(number, ".") {
		f.Hi = (v + 1) * per // a clock in whole seconds is often cut off, not rounded
	}
	if other != "" {
		end, err := scaled(other, per)
		if err != nil {
			return err
		}
		f.Value, f.Hi = (v+end)/2*per, end*per
	}
	switch {
	case strings.ContainsAny(vague, ">≥"):
		f.Lo, f.Hi = f.Value, math.Inf(1)
	case strings.ContainsAny(vague, "<≤"):
		f.Lo, f.Hi = math.Inf(-1), f.Value
	}
	return nil
}

// scaled parses a number that must be finite in base units, too. It returns the number as printed.
func scaled(number string, per float64) (float64, error) {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v*per, 0) {
		return 0, fmt.Errorf("%q is too large or too small", number)
	}
	return v, nil
}

// several counts the numbers in a cell that holds nothing but numbers and blanks. It returns 0 for
// any other cell.
func several(text string) int {
	fields := strings.Fields(text)
	for _, s := range fields {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return 0
		}
	}
	return len(fields)
}

// clock reads times such as 1m25s and 00:05.51. It reports whether text is one.
func (f *Figure) clock(text string) bool {
	if !strings.ContainsAny(text, ":hms") {
		return false
	}
	m := clockForm().FindStringSubmatch(text)
	if m == nil {
		if m = goForm().FindStringSubmatch(text); m == nil || m[1]+m[2] == "" {
			return false
		}
	}
	h, _ := strconv.ParseFloat("0"+m[1], 64)
	min, _ := strconv.ParseFloat("0"+m[2], 64)
	s, err := strconv.ParseFloat(m[3], 64)
	if f.Unit = Seconds; err != nil || math.IsInf(h*3600+min*60+s, 0) {
		return false
	}
	half, digits := precision(m[3], false)
	f.Value = h*3600 + min*60 + s
	f.Lo, f.Hi, f.Digits = f.Value-half, f.Value+half, digits
	if !strings.Contains(m[3], ".") {
		f.Hi = f.Value + 1
	}
	return true
}

// ownUnit resolves a unit beside the value itself, if base and per are the column's unit. It
// returns the unit's size in base units.
func (f *Figure) ownUnit(own string, base Unit, per float64) (float64, bool) {
	if k, ok := multiples[strings.ToLower(own)]; ok && (base == PerSec || base == None && own == "k") {
		return k * per, true
	}
	u, p, _ := unitOf(own)
	if base == PerSec && per == 1 && u == Bytes { // "1.61MB" in a column of "/s"
		f.Unit = BPerSec
		return p, true
	}
	f.OwnUnit = base != None && (u != base || p != per)
	f.Unit = u
	return p, slices.Contains(baseUnits, u)
}

// baseUnits are the base units that a value may bring along.
var baseUnits = []Unit{None, Seconds, Bytes, PerSec, BPerSec, "%"}

// precision returns half a step in a number's last printed digit, and the count of significant
// digits. In an approximate whole number the final zeros are not significant.
func precision(number string, approx bool) (half float64, digits int) {
	number = strings.TrimLeft(number, "+-")
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		exponent, _ = strconv.Atoi(number[i+1:])
	}
	integer, frac, _ := strings.Cut(mantissa, ".")
	step := -len(frac)
	significant := strings.TrimLeft(integer+frac, "0")
	if frac == "" && approx {
		cut := strings.TrimRight(significant, "0")
		step, significant = len(significant)-len(cut), cut
	}
	return 0.5 * math.Pow10(min(max(step+exponent, -300), 300)), len(significant)
}
