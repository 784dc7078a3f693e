package share

import (
	"fmt"
	"testing"
)

func TestWhoUsesUpItsShareLeavesTheOthersTheirs(t *testing.T) {
	t.Parallel()
	var table Table
	all := Share{"all", 5}
	var giveBack []func()
	take := func(name string) bool {
		back, ok := table.Take(all, Share{name, 2})
		if ok {
			giveBack = append(giveBack, back)
		}
		return ok
	}
	got := fmt.Sprint(take("a"), take("a"), take("a"), take("b"), take("b"), take("c"), take("d"))
	if want := "true true false true true true false"; got != want {
		t.Errorf("taken: %s, want %s", got, want)
	}
	giveBack[0]()
	giveBack[0]() // once more is not more
	if got, want := fmt.Sprint(take("c"), take("c"), take("a")), "true false false"; got != want {
		t.Errorf("after one came back: %s, want %s", got, want)
	}
	for _, back := range giveBack {
		back()
	}
	if len(table.taken) != 0 {
		t.Errorf("left: %v", table.taken)
	}
}
