package site

import "time"

const (
	// MaxTries and TriesWindow bound what one source address may try.
	MaxTries    = 10
	TriesWindow = time.Minute

	// maxSources bounds the source addresses that are remembered. While the
	// table is full of fresh ones a further address is refused.
	maxSources = 4096
)
