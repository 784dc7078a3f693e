package mask

import "slices"

// A family is a kind of secret that is known by how it begins. The families
// are data: the engine knows none of them by name.
type family struct {
	name     string
	prefixes []string
	// body is what the secret is written in after its prefix. Any other
	// character ends it.
	body alphabet
	// least is the bytes of body from which it is hidden; it is below the
	// vendor's length, since a token that was cut is still a secret.
	least int
	// most is the bytes of body above which it is something else; 0: none.
	most int
	// full is the vendor's shortest length, from which a token glued to other
	// text is hidden too. 0: only with its checksum.
	full int
	// mixed demands a long stretch with a digit and a letter, where the prefix
	// also begins slugs and style classes.
	mixed bool
	// id says that the prefix begins ordinary words too, and an id that is no
	// secret stands before the first dot: at the cursor it is hidden from there on.
	id bool
	// whole says that no letter or digit of another alphabet follows: there it
	// is a stretch of base64.
	whole bool
	// fits tells what cannot be the token, or its beginning; nil: everything
	// can.
	fits func(token []byte) bool
	// begins is fits for a token that is being written, where a beginning does
	// not tell yet; nil: fits does.
	begins func(token []byte) bool
	// sum reports whether a token carries its right checksum, which makes it
	// sure. A wrong one decides nothing.
	sum func(token []byte) bool
	// readable is how many bytes of the prefix stay, where that is not all.
	readable int
	// example is a made-up body, counter a text that begins alike and is none.
	// Both are here to be read and to be tested; no text in this file is a
	// whole secret.
	example, counter string
}

// families is the whole table.
var families = slices.Concat(codeFamilies, modelFamilies, cloudFamilies, serviceFamilies, otherFamilies)

// Made-up bodies to cut examples from.
const (
	madeMixed = "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0JcAeUiOoWrStDlKzXvBnMqPyHgFjC7u2E9a4T6w8Q1z3X5v0N7b" +
		"M2k4J6h8G1f3D5s7A9p0O2i4U6y8T1r3E5w7Qq9Zz"
	madeHex = "4f9a1c7e0b3d8256f7a9c1e3b5d70824691bd3f5a7c9e0128f4b6d3a5c7e9f10" +
		"2b4d6f8a0c1e3f5b"
	madeUpperHex = "4F9A1C7E0B3D8256"
	madeBase32   = "K7QW2LRZX4TNBV3HSY6DPF5GMJCAEUIO"
	madeUpper    = "Q7RW2LK9ZX4TN8VB3HS6YD1PF5GM0JCAEUI8OWRST2DLKZXVB4NMQPYHG6FJ"
	madeLower    = "q7rw2lk9zx4tn8vb3hs6yd1pf5gm0jcaeui8owrst2dlkzxvb4nmqpyhg6fj"
)
