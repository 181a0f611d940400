package main

import (
	"fmt"
	"math/rand/v2"
)

// Times lie in this span of Unix seconds: ten digits, as they have had since 2001.
const firstTime, timeSpan = 1_500_000_000, 500_000_000

// render writes records as {"Id":"id_<int63>","Name":"name_<int63>","Time":<unix s>}, compact, in
// an array, and a newline, as an encoder of encoding/json does. Its bytes follow from records and
// seed alone: the generator (PCG-DXSM of math/rand/v2) is the same in every Go.
func render(records int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	out := []byte{'['}
	for i := range records {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `{"Id":"id_%d","Name":"name_%d","Time":%d}`, r.Int64(), r.Int64(), firstTime+r.Int64N(timeSpan))
	}
	return append(out, ']', '\n')
}
