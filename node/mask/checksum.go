package mask

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
)

// Checksums that vendors put into their tokens. All are the CRC32 of the IEEE.

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// sumBase62 reports whether a token of GitHub or npm ends its 36 characters
// with the checksum of the first 30, in base 62.
func sumBase62(token []byte) bool {
	const random, all = 30, 36
	_, body, _ := bytes.Cut(token, []byte("_"))
	return len(body) >= all && string(body[random:all]) == inBase(62, body[:random], all-random)
}

// sumGitLab reports whether a routable token of GitLab ends with the checksum of
// all before it, in base 36, behind the length of its payload.
func sumGitLab(token []byte) bool {
	const sum = 7
	token = bytes.TrimRight(token, ".")
	payload := len(token) - sum
	return payload > sum && bytes.Count(token, []byte(".")) == 2 && string(token[payload:]) == inBase(36, token[:payload], sum)
}

// sumGrafana reports whether a token of Grafana ends with the checksum of what
// stands before its last _.
func sumGrafana(token []byte) bool {
	last := bytes.LastIndexByte(token, '_')
	if last < 0 {
		return false
	}
	return string(token[last+1:]) == littleHex(string(token[:last]))
}

// sumCloudflare reports whether a token of Cloudflare ends its 48 characters
// with the checksum of the first 40, in hexadecimal.
func sumCloudflare(token []byte) bool {
	const random, all = 40, 48
	_, body, _ := bytes.Cut(token, []byte("_"))
	if len(body) < all {
		return false
	}
	return string(body[random:all]) == bigHex(string(body[:random]))
}

func littleHex(of string) string {
	var sum [4]byte
	binary.LittleEndian.PutUint32(sum[:], crc32.ChecksumIEEE([]byte(of)))
	return hex.EncodeToString(sum[:])
}

func bigHex(of string) string {
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE([]byte(of)))
	return hex.EncodeToString(sum[:])
}

// inBase returns a checksum in a base of at most 62, with zeros before it. A
// base of 36 is written in lower case.
func inBase(base uint32, of []byte, length int) string {
	text := bytes.Repeat([]byte{'0'}, length)
	for i, n := length-1, crc32.ChecksumIEEE(of); i >= 0 && n > 0; i, n = i-1, n/base {
		text[i] = base62[n%base]
	}
	if base == 36 {
		text = bytes.ToLower(text)
	}
	return string(text)
}

// withBase62 completes a made-up body with its checksum.
func withBase62(body string) string { return body + inBase(62, []byte(body), 6) }
