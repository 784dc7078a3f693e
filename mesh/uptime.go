package mesh

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// kernelUptime tells how long the machine has run, asleep or not (CLOCK_BOOTTIME,
// clock_gettime(2)). The clock that Go measures with stands still while it sleeps,
// and what a peer said of its own before would seem to be new.
func kernelUptime() (func() time.Duration, error) {
	read := func() (time.Duration, error) {
		var up unix.Timespec
		err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &up)
		return time.Duration(up.Nano()), err
	}
	if _, err := read(); err != nil {
		return nil, fmt.Errorf("ask how long the machine has run: %w", err)
	}
	return func() time.Duration {
		up, _ := read() // it is there, or was not from the start
		return up
	}, nil
}
