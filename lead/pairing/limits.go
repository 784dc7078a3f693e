package pairing

import "time"

const (
	// MaxDevices bounds the list, expired devices included.
	MaxDevices = 200
	// MaxLifetime bounds how long a device may stay paired: 3650 days.
	MaxLifetime = 3650 * day
	// CodeLifetime is how long a pairing code may be claimed.
	CodeLifetime = 10 * time.Minute
	// MaxWrongCodes wrong guesses kill every live code.
	MaxWrongCodes = 5
	// MaxLiveCodes bounds the codes that live at once; the oldest makes room.
	MaxLiveCodes = 4

	// flushEvery is how often at most LastSeenAt is written, and how often at
	// least the clock and the file are looked at without a request.
	flushEvery = time.Minute
	// retryEvery is between two tries to store a revocation.
	retryEvery = 5 * time.Second
	// maxFileBytes bounds devices.json: MaxDevices of about 400 bytes.
	maxFileBytes = 256 << 10

	day = 24 * time.Hour
)
