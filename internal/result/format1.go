package result

import "bytes"

// oldestFormat is the first format, which Read still reads: with the keys and values of format 2 in
// the place of its own.
const oldestFormat = 1

// renamedKeys are the keys of format 1 that have another name since, wherever they stand.
var renamedKeys = [][2]string{
	{"companion", "backend"},
	{"driver", "external"},
	{"looks", "interim_analyses"},
	{"side_epochs", "extra_epochs"},
	{"told", "reported"},
	{"foreign_server_ns", "background_server_ns"},
	{"foreign_generator_ns", "background_generator_ns"},
}

// withNewKeys is a line of format 1 with the keys of today. Within a string a quote has a backslash
// before it, so that only a key looks like one.
func withNewKeys(line []byte) []byte {
	for _, k := range renamedKeys {
		line = bytes.ReplaceAll(line, []byte(`"`+k[0]+`":`), []byte(`"`+k[1]+`":`))
	}
	return line
}

// renew gives a record of format 1 the values of today.
func (r *Record) renew() {
	rename := func(value *string, from, to string) {
		if *value == from {
			*value = to
		}
	}
	switch {
	case r.Plan != nil:
		r.Plan.Format = Format
		rename(&r.Plan.Protocol, "duel", "paired")
	case r.Calibration != nil:
		r.Calibration.Format = Format
	case r.Contestant != nil:
		rename(&r.Contestant.Title, "reference, blinded copy", "reference, copy")
	case r.End != nil:
		rename(&r.End.Reason, "looks", "last analysis")
	}
}
