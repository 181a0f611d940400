package fleet

import (
	"crypto/ed25519"
	"encoding/base32"
	"encoding/binary"
)

// public returns the public key of a user as NATS writes it ("nkey"): base32, without padding, of a
// byte that says "user", the Ed25519 key, and the CRC-16/XMODEM of both.
//
// Note: github.com/nats-io/nkeys has this and much else; it would be one more module to trust.
func public(seed []byte) string {
	const user = 20 << 3 // so that the text begins with U
	key := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	raw := append([]byte{user}, key...)
	raw = binary.LittleEndian.AppendUint16(raw, crc16(raw))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)
}

// sign signs what the server asks a client to sign.
func sign(seed, nonce []byte) []byte { return ed25519.Sign(ed25519.NewKeyFromSeed(seed), nonce) }

func crc16(data []byte) (crc uint16) {
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			top := crc & 0x8000
			if crc <<= 1; top != 0 {
				crc ^= 0x1021
			}
		}
	}
	return crc
}
