package scenario

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

type kind uint8

const (
	isInt kind = iota
	isPick
	isUUID
	isSeq
)

// input is a validated Input, ready for drawing.
type input struct {
	kind kind
	low  int64
	span uint64 // number of integers from low; 0: 2^64
	pick []string
}

// value is a drawn value: an integer or an index into pick in a, a UUID in a and b.
type value struct{ a, b uint64 }

// count returns the number of true arguments.
func count(all ...bool) (n int) {
	for _, one := range all {
		if one {
			n++
		}
	}
	return n
}

func (in Input) compile() (input, error) {
	switch {
	case count(in.Int != [2]int64{}, in.Pick != nil, in.UUID, in.Seq) > 1:
		return input{}, errors.New("want only one of int, pick, uuid and seq")
	case in.UUID:
		return input{kind: isUUID}, nil
	case in.Seq:
		return input{kind: isSeq}, nil
	case in.Pick != nil && len(in.Pick) == 0:
		return input{}, errors.New("the list of pick is empty")
	case in.Pick != nil:
		return input{kind: isPick, pick: slices.Clone(in.Pick)}, nil
	case in.Int[0] > in.Int[1]:
		return input{}, fmt.Errorf("%d to %d: want the lower integer first", in.Int[0], in.Int[1])
	}
	return input{kind: isInt, low: in.Int[0], span: uint64(in.Int[1]-in.Int[0]) + 1}, nil
}

// inline parses the text between the braces of an inline placeholder. It returns nil and no error if the text
// does not begin like a placeholder.
func inline(text string) (*input, error) {
	word, arg, colon := strings.Cut(text, ":")
	var in Input
	switch word {
	case "uuid", "seq":
		if colon {
			return nil, fmt.Errorf("{%s}: no text allowed after the name; want {%s}", text, word)
		}
		in.UUID, in.Seq = word == "uuid", word == "seq"
	case "int":
		low, high, _ := strings.Cut(arg, "..")
		var err1, err2 error
		in.Int[0], err1 = strconv.ParseInt(low, 10, 64)
		in.Int[1], err2 = strconv.ParseInt(high, 10, 64)
		if err1 != nil || err2 != nil || in.Int[0] > in.Int[1] {
			return nil, fmt.Errorf("{%s}: want two integers, the smaller first, such as {int:1..1000}", text)
		}
	case "pick":
		in.Pick = strings.Split(arg, ",")
		if slices.Contains(in.Pick, "") {
			return nil, fmt.Errorf("{%s}: want a list of texts, such as {pick:a,b}", text)
		}
	default:
		return nil, nil
	}
	c, err := in.compile()
	return &c, err
}

// draw draws in's next value.
func (s *Source) draw(rng *rand.Rand, in *input) (v value) {
	switch in.kind {
	case isInt:
		if in.span == 0 {
			v.a = rng.Uint64()
		} else {
			v.a = uint64(in.low) + rng.Uint64N(in.span)
		}
	case isPick:
		v.a = rng.Uint64N(uint64(len(in.pick)))
	case isUUID:
		v.a, v.b = rng.Uint64(), rng.Uint64()
	case isSeq:
		v.a = s.seq
		s.seq += s.step
	}
	return v
}

// append writes v, which was drawn from in.
func (in *input) append(buf []byte, v value) []byte {
	switch in.kind {
	case isInt:
		return strconv.AppendInt(buf, int64(v.a), 10)
	case isPick:
		return append(buf, in.pick[v.a]...)
	case isUUID:
		return appendUUID(buf, v)
	}
	return strconv.AppendUint(buf, v.a, 10)
}

const uuidSize = len("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx")

// appendUUID writes v as a UUID, version 4 and variant 10 (RFC 9562, section 5.4), with 122 bits of v.
func appendUUID(buf []byte, v value) []byte {
	var u [16]byte
	binary.BigEndian.PutUint64(u[:8], v.a)
	binary.BigEndian.PutUint64(u[8:], v.b)
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	var t [uuidSize]byte
	hex.Encode(t[0:], u[0:4])
	hex.Encode(t[9:], u[4:6])
	hex.Encode(t[14:], u[6:8])
	hex.Encode(t[19:], u[8:10])
	hex.Encode(t[24:], u[10:])
	t[8], t[13], t[18], t[23] = '-', '-', '-', '-'
	return append(buf, t[:]...)
}
