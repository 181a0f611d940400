package fleet

import "github.com/nats-io/nkeys"

// pair returns the key pair of a NATS user.
func pair(seed []byte) nkeys.KeyPair {
	k, err := nkeys.FromRawSeed(nkeys.PrefixByteUser, seed)
	if err != nil {
		panic(err) // readKeys and ParseBundle refuse such a seed
	}
	return k
}

// public returns a user's public key.
func public(seed []byte) string {
	key, _ := pair(seed).PublicKey() // fails only for keys without a seed
	return key
}
