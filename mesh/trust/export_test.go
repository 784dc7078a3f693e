package trust

import "collie/crypto/atomicfile"

// Decode and Encode are the file's bytes without a disk, for fuzzing.
var Decode = decode

func Encode(c *Crew) ([]byte, error) { return atomicfile.EncodeJSON(version, c) }
