package tmux

import (
	"reflect"
	"testing"
	"time"
)

func TestASeatIsAPersonsTerminalThatShowsTheProgram(t *testing.T) {
	t.Parallel()
	const list = "0|82|1790000000|61\n1|83|1790000000|61\n0|84|1790000000|62\n0|85|1790000001|61\n0|-1|1|61\n0|x|1|61\n0|86||61\nno\n"
	want := []Seat{{82, time.Unix(1790000000, 0)}, {85, time.Unix(1790000001, 0)}}
	if got := readSeats(list, 61); !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v", got)
	}
}
