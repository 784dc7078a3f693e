package pairing

import (
	"strconv"
	"time"
)

// ParseLifetime reads a lifetime such as 12h, 30d or 2w, from 1h to 3650d. All
// else is ErrLifetime.
func ParseLifetime(text string) (time.Duration, error) {
	if len(text) < 2 || len(text) > 6 { // 87600h is the longest
		return 0, ErrLifetime
	}
	units := map[byte]time.Duration{'h': time.Hour, 'd': day, 'w': 7 * day}
	unit, known := units[text[len(text)-1]]
	count, err := strconv.ParseUint(text[:len(text)-1], 10, 32)
	if !known || err != nil || count == 0 {
		return 0, ErrLifetime
	}
	lifetime := time.Duration(count) * unit // five digits of weeks are within the type
	if lifetime > MaxLifetime {
		return 0, ErrLifetime
	}
	return lifetime, nil
}
