package result

import "bytes"

// oldestFormat is the oldest format that Read accepts. Read converts its keys and values to those
// of format 2.
const oldestFormat = 1

// renamedKeys are the keys of format 1 that have been renamed, wherever they occur.
var renamedKeys = [][2]string{
	{"companion", "backend"},
	{"driver", "external"},
	{"looks", "interim_analyses"},
	{"side_epochs", "extra_epochs"},
	{"told", "reported"},
	{"foreign_server_ns", "background_server_ns"},
	{"foreign_generator_ns", "background_generator_ns"},
}

// withNewKeys converts the keys of a line of format 1. A quote within a string follows a backslash,
// so only a key can match.
func withNewKeys(line []byte) []byte {
	for _, k := range renamedKeys {
		line = bytes.ReplaceAll(line, []byte(`"`+k[0]+`":`), []byte(`"`+k[1]+`":`))
	}
	return line
}

// renew converts the values of a record of format 1.
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
