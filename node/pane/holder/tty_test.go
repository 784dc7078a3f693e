package holder

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// deeper calls do with a stack that has grown to some depth, so that it grows again
// at one place or another below it.
func deeper(depth int, do func()) byte {
	var room [64]byte
	if depth == 0 {
		do()
		return room[0]
	}
	room[depth%len(room)] = byte(depth)
	return deeper(depth-1, do) + room[0]
}

func TestTheTwoSidesOfATerminalBelongTogether(t *testing.T) {
	t.Parallel()
	var opening sync.WaitGroup
	for depth := range 400 {
		opening.Go(func() {
			deeper(depth%100, func() {
				opened, err := openTTY()
				if err != nil {
					t.Error(err)
					return
				}
				defer opened.hangup()
				number := -1
				var device unix.Stat_t
				if err := opened.control(func(fd int) (err error) {
					number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
					return err
				}); err != nil {
					t.Error(err)
				}
				if err := unix.Fstat(int(opened.slave.Fd()), &device); err != nil || int(unix.Minor(device.Rdev)) != number {
					t.Errorf("the program's side is number %d, want %d (%v)", unix.Minor(device.Rdev), number, err)
				}
				said := fmt.Appendf(nil, "from %d", depth)
				heard := make([]byte, len(said))
				if _, err := opened.slave.Write(said); err != nil {
					t.Error(err)
				}
				if _, err := opened.master.Read(heard); err != nil || !bytes.Equal(heard, said) {
					t.Errorf("the holder reads %q, want %q (%v)", heard, said, err)
				}
			})
		})
	}
	opening.Wait()
}
