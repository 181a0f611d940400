package fleet

import "github.com/nats-io/nkeys"

// pair returns the key of a user of NATS.
func pair(seed []byte) nkeys.KeyPair {
	k, err := nkeys.FromRawSeed(nkeys.PrefixByteUser, seed)
	if err != nil {
		panic(err) // a seed that readKeys and ParseBundle refuse
	}
	return k
}

// public returns the public key of a user.
func public(seed []byte) string {
	key, _ := pair(seed).PublicKey() // which fails for keys without a seed
	return key
}
