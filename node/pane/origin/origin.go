// Package origin keeps what a process was started with, and then took from
// itself, so that the programs it starts can have it back: the umask and the
// limit of core files.
//
// Both belong to the whole process, not to a goroutine. Take is therefore for
// the first line of main, and Restored for a process that does nothing else
// meanwhile.
package origin

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// privateUmask leaves no right to group and others.
const privateUmask = 0o077

// An Origin is what the process was started with. The zero Origin restores
// nothing: a umask that nobody noted is never taken for one of 0.
type Origin struct {
	Taken bool `json:"taken"`
	Umask int  `json:"umask"`
	// CoreSoft and CoreHard limit the bytes of a core file.
	CoreSoft uint64 `json:"coreSoft"`
	CoreHard uint64 `json:"coreHard"`
}

// Take sets the umask to 0077 and the soft core limit to 0, and returns what
// they were.
func Take() (Origin, error) {
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return Origin{}, fmt.Errorf("read the core limit: %w", err)
	}
	o := Origin{Taken: true, Umask: unix.Umask(privateUmask), CoreSoft: core.Cur, CoreHard: core.Max}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 0, Max: core.Max}); err != nil {
		return o, fmt.Errorf("lower the core limit: %w", err)
	}
	return o, nil
}

// Restored runs start with the umask and the core limit of o, as far as the
// hard limit allows, and then puts the process's own back.
func (o Origin) Restored(start func() error) error {
	if !o.Taken {
		return start()
	}
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &own); err != nil {
		return fmt.Errorf("read the core limit: %w", err)
	}
	given := unix.Rlimit{Cur: min(o.CoreSoft, own.Max), Max: own.Max}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &given); err != nil {
		return fmt.Errorf("give the core limit back: %w", err)
	}
	umask := unix.Umask(o.Umask)
	err := start()
	unix.Umask(umask)
	return errors.Join(err, unix.Setrlimit(unix.RLIMIT_CORE, &own))
}
