package loadtest

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"strings"
)

// Types of records, and the messages that scripts send.
const (
	changeCipherSpec, alert, handshake, data = 20, 21, 22, 23

	closeNotify   = "\x01\x00" // alerts
	internalError = "\x02\x50"
	userCanceled  = "\x01\x5a"

	keyUpdate    = "\x18\x00\x00\x01\x00"
	keyUpdateToo = "\x18\x00\x00\x01\x01" // and requests one
	ticket       = "\x04\x00\x00\x12\x00\x00\x0e\x10\x00\x00\x00\x00\x01n\x00\x04tick\x00\x00"
)

// sealer is the sending half of a server's TLS, after its handshake. By it a script says what
// crypto/tls never would.
type sealer struct {
	wire   *cable
	aead   cipher.AEAD
	iv     []byte
	secret []byte // of TLS 1.3
	legacy bool   // TLS 1.2
	seq    uint64
	pad    int // zeros behind what each record of TLS 1.3 says
}

// wire is a server's socket below TLS.
type cable struct {
	*net.TCPConn
	first []byte                      // what was written first
	send  func(b []byte) (int, error) // in place of the socket's Write; nil: that
}

func (w *cable) Write(b []byte) (int, error) {
	if w.first == nil {
		w.first = bytes.Clone(b)
	}
	if w.send != nil {
		return w.send(b)
	}
	return w.TCPConn.Write(b)
}

// secure makes the server's side of the handshake. It is false if that fails.
func (p *peer) secure(c *tls.Config, send func(w *cable, b []byte) (int, error)) (w *cable, keys string, ok bool) {
	w = &cable{TCPConn: p.Conn.(*net.TCPConn)}
	if send != nil {
		w.send = func(b []byte) (int, error) { return send(w, b) }
	}
	var log strings.Builder
	c = c.Clone()
	c.KeyLogWriter = &log
	conn := tls.Server(w, c)
	p.Conn, p.r = conn, bufio.NewReader(conn)
	err := conn.Handshake()
	return w, log.String(), err == nil
}

// suite is the one whose records a sealer makes, of TLS 1.2.
const suite = tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256

// newSealer returns the sealer of a connection, whose server sends no tickets, by the keys that
// crypto/tls logged; nil for a suite of TLS 1.3 that machines without instructions for AES prefer.
func newSealer(state tls.ConnectionState, w *cable, keys string) *sealer {
	s := &sealer{wire: w, legacy: state.Version == tls.VersionTLS12}
	var key []byte
	switch state.CipherSuite {
	case tls.TLS_AES_128_GCM_SHA256:
		_, after, _ := strings.Cut(keys, "SERVER_TRAFFIC_SECRET_0 ")
		s.secret = unhex(strings.Fields(after)[1])
		key, s.iv = expand(s.secret, "key", 16), expand(s.secret, "iv", 12)
	case suite:
		line := strings.Fields(keys)
		random := w.first[11:43] // of the ServerHello
		block := prf(unhex(line[2]), "key expansion"+string(random)+string(unhex(line[1])), 40)
		key, s.iv, s.seq = block[16:32], block[36:40], 1 // Finished was the first record
	default:
		return nil
	}
	s.use(key)
	return s
}

func (s *sealer) use(key []byte) {
	block, err := aes.NewCipher(key)
	if err == nil {
		s.aead, err = cipher.NewGCM(block)
	}
	if err != nil {
		panic(err)
	}
}

// update moves on to the keys that follow a KeyUpdate (RFC 8446, section 7.2).
func (s *sealer) update() {
	s.secret = expand(s.secret, "traffic upd", sha256.Size)
	s.iv, s.seq = expand(s.secret, "iv", 12), 0
	s.use(expand(s.secret, "key", 16))
}

// seal returns a record.
func (s *sealer) seal(kind byte, text string) []byte {
	seq := binary.BigEndian.AppendUint64(nil, s.seq)
	s.seq++
	if s.legacy {
		head := []byte{kind, 3, 3, 0, 0}
		binary.BigEndian.PutUint16(head[3:], uint16(len(text)))
		sealed := s.aead.Seal(nil, append(bytes.Clone(s.iv), seq...), []byte(text), append(bytes.Clone(seq), head...))
		binary.BigEndian.PutUint16(head[3:], uint16(len(seq)+len(sealed)))
		return append(append(head, seq...), sealed...)
	}
	nonce := bytes.Clone(s.iv)
	for i, b := range seq {
		nonce[4+i] ^= b
	}
	inner := append(append([]byte(text), kind), make([]byte, s.pad)...)
	head := []byte{data, 3, 3, 0, 0}
	binary.BigEndian.PutUint16(head[3:], uint16(len(inner)+s.aead.Overhead()))
	return s.aead.Seal(head, nonce, inner, head)
}

// say sends each text as a record of its own, all in one write.
func (s *sealer) say(kind byte, texts ...string) {
	var all []byte
	for _, text := range texts {
		all = append(all, s.seal(kind, text)...)
	}
	s.raw(all)
}

// raw sends bytes as they are.
func (s *sealer) raw(b []byte) { s.wire.TCPConn.Write(b) }

// drip sends each byte alone.
func (s *sealer) drip(b []byte) {
	for i := range b {
		s.raw(b[i : i+1])
	}
}

// reset closes with RST.
func (w *cable) reset() {
	w.SetLinger(0)
	w.Close()
}

// expand is HKDF-Expand-Label without a context (RFC 8446, section 7.1).
func expand(secret []byte, label string, length int) []byte {
	label = "tls13 " + label
	info := fmt.Sprintf("%c%c%c%s\x00", 0, length, len(label), label)
	out, err := hkdf.Expand(sha256.New, secret, info, length)
	if err != nil {
		panic(err)
	}
	return out
}

// prf is the pseudorandom function of TLS 1.2 (RFC 5246, section 5).
func prf(secret []byte, seed string, length int) (out []byte) {
	sum := func(s string) string {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(s))
		return string(h.Sum(nil))
	}
	for a := sum(seed); len(out) < length; a = sum(a) {
		out = append(out, sum(a+seed)...)
	}
	return out[:length]
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}
