package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"collie/node/pane"
)

// amount is a number that a longer run by hand sets.
func amount(t testing.TB, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// Storm opens many panes at once (COLLIE_TEST_PANES, 12 without it) and types into
// them, resizes, renames and closes them in random order. What it does follows
// from the seed (COLLIE_TEST_SEED), as far as several at once can. In the end
// nothing is left, and no id was given out twice. It returns every pane that
// there was.
func Storm(t *testing.T, mux pane.Multiplexer) []pane.Info {
	const workers = 6
	before := len(mux.List())
	total, seed := amount(t, "COLLIE_TEST_PANES", 12), amount(t, "COLLIE_TEST_SEED", 7)
	var (
		mu    sync.Mutex // guards all and alive
		all   []pane.Info
		alive []pane.ID
	)
	pick := func(random *rand.Rand) (pane.ID, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(alive) == 0 {
			return "", false
		}
		return alive[random.IntN(len(alive))], true
	}
	open := func(name string) {
		info, err := mux.New(t.Context(), pane.Spec{Command: []string{"cat"}, Cwd: "/", Label: name})
		if err != nil {
			t.Errorf("open %s: %v", name, err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		all, alive = append(all, info), append(alive, info.ID)
	}
	closeOne := func(id pane.ID) {
		mu.Lock()
		at := slices.Index(alive, id)
		if at >= 0 {
			alive = slices.Delete(alive, at, at+1)
		}
		mu.Unlock()
		if at < 0 {
			return // another one has it
		}
		if err := mux.Close(t.Context(), id); err != nil {
			t.Errorf("close %s: %v", id, err)
		}
	}
	act := func(random *rand.Rand, name string) {
		id, ok := pick(random)
		if !ok {
			return
		}
		var err error
		switch random.IntN(5) {
		case 0:
			err = mux.Resize(t.Context(), id, 20+random.IntN(100), 5+random.IntN(40))
		case 1:
			err = mux.Rename(t.Context(), id, name)
		case 2:
			err = mux.Input(t.Context(), id, []byte(name+"\r"))
		case 3:
			_, err = mux.Screen(t.Context(), id)
		case 4:
			if random.IntN(3) == 0 {
				closeOne(id)
			}
		}
		// Another one may have closed it meanwhile.
		if err != nil && !errors.Is(err, pane.ErrNotFound) && !errors.Is(err, pane.ErrEnded) && !errors.Is(err, pane.ErrOutcomeUnknown) && !errors.Is(err, pane.ErrAway) {
			t.Errorf("pane %s: %v", id, err)
		}
	}
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			random := rand.New(rand.NewPCG(uint64(seed), uint64(worker)))
			for i := worker; i < total; i += workers {
				open(fmt.Sprintf("pane %d", i))
				for range 4 {
					act(random, fmt.Sprintf("name %d", i))
				}
			}
		})
	}
	running.Wait()
	mu.Lock()
	left := slices.Clone(alive)
	mu.Unlock()
	if listed := mux.List(); len(listed) != before+len(left) {
		t.Errorf("%d panes are listed, and %d were not closed", len(listed), len(left))
	}
	random := rand.New(rand.NewPCG(uint64(seed), workers))
	random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	for worker := range workers {
		running.Go(func() {
			for i := worker; i < len(left); i += workers {
				closeOne(left[i])
			}
		})
	}
	running.Wait()
	if listed := mux.List(); len(listed) != before {
		t.Errorf("%d panes are left", len(listed))
	}
	ids := map[pane.ID]bool{}
	for _, info := range all {
		if ids[info.ID] {
			t.Errorf("%s was given out twice", info.ID)
		}
		ids[info.ID] = true
	}
	if len(all) != total {
		t.Errorf("%d panes were opened, want %d", len(all), total)
	}
	return all
}
