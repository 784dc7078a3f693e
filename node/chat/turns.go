package chat

import "slices"

// turns are what was read of a log so far, the oldest first, within bounds.
type turns struct {
	list    []*Turn
	byID    map[string]*Turn
	calls   map[string]call // calls of tools whose result has not come
	bytes   int
	dropped bool // something old went for want of room
}

// A call is where a tool that was called stands.
type call struct {
	turn *Turn
	tool int
}

func (t *turns) reset() { *t = turns{byID: map[string]*Turn{}, calls: map[string]call{}} }

// at returns a turn, which is made when there is none of that name.
func (t *turns) at(id string, begin Turn) *Turn {
	if turn := t.byID[id]; turn != nil {
		return turn
	}
	begin.ID = id
	turn := &begin
	t.byID[id] = turn
	t.list = append(t.list, turn)
	t.bytes += size(turn)
	t.makeRoom()
	return turn
}

// say appends to what a turn says.
func (t *turns) say(turn *Turn, text string) {
	if text == "" {
		return
	}
	before := size(turn)
	if turn.Text != "" {
		text = turn.Text + "\n\n" + text
	}
	var cut bool
	turn.Text, cut = shorten(text, MaxTextBytes)
	turn.Cut = turn.Cut || cut
	t.grew(turn, before)
}

// call adds the call of a tool.
func (t *turns) call(turn *Turn, tool Tool) {
	if len(turn.Tools) >= MaxTools {
		turn.Cut = true
		return
	}
	before := size(turn)
	var cut bool
	tool.Name, _ = shorten(tool.Name, MaxNameBytes)
	tool.Subject, cut = shorten(tool.Subject, MaxSubjectBytes)
	tool.Cut = cut
	if tool.State == "" {
		tool.State = Running
	}
	turn.Tools = append(turn.Tools, tool)
	if tool.id != "" && len(t.calls) < MaxTurns {
		t.calls[tool.id] = call{turn, len(turn.Tools) - 1}
	}
	t.grew(turn, before)
}

// result ends a call. A result of a call that was never seen is nobody's.
func (t *turns) result(id, text string, state State) {
	at, ok := t.calls[id]
	if !ok {
		return
	}
	delete(t.calls, id)
	before := size(at.turn)
	tool := &at.turn.Tools[at.tool]
	var cut bool
	tool.Result, cut = shorten(text, MaxResultBytes)
	tool.Cut, tool.State = tool.Cut || cut, state
	t.grew(at.turn, before)
}

// show adds a picture that a line at an offset holds.
func (t *turns) show(turn *Turn, image Image, at int64) {
	image.at = at
	if len(turn.Images) >= MaxImages {
		turn.Cut = true
		return
	}
	before := size(turn)
	turn.Images = append(turn.Images, image)
	t.grew(turn, before)
}

// removeFrom takes back a turn and all after it.
func (t *turns) removeFrom(id string) {
	i := slices.IndexFunc(t.list, func(turn *Turn) bool { return turn.ID == id })
	if i >= 0 {
		t.removeAfter(i)
	}
}

func (t *turns) removeAfter(i int) {
	for _, turn := range t.list[i:] {
		t.forget(turn)
	}
	clear(t.list[i:])
	t.list = t.list[:i]
}

// remove takes back one turn.
func (t *turns) remove(id string) {
	if turn := t.byID[id]; turn != nil {
		t.forget(turn)
		t.list = slices.DeleteFunc(t.list, func(other *Turn) bool { return other == turn })
	}
}

func (t *turns) forget(turn *Turn) {
	delete(t.byID, turn.ID)
	for _, tool := range turn.Tools {
		delete(t.calls, tool.id)
	}
	t.bytes -= size(turn)
}

// grew counts what a turn grew by, unless it has gone already.
func (t *turns) grew(turn *Turn, before int) {
	if t.byID[turn.ID] == turn {
		t.bytes += size(turn) - before
		t.makeRoom()
	}
}

// makeRoom drops the oldest turns; the newest one stays.
func (t *turns) makeRoom() {
	for len(t.list) > 1 && (len(t.list) > MaxTurns || t.bytes > maxTurnsBytes) {
		t.forget(t.list[0])
		t.list[0] = nil
		t.list = t.list[1:]
		t.dropped = true
	}
}

// size is about what a turn costs.
func size(t *Turn) int {
	n := 200 + len(t.ID) + len(t.Text) + 100*len(t.Images)
	for i := range t.Tools {
		n += 150 + len(t.Tools[i].Name) + len(t.Tools[i].Subject) + len(t.Tools[i].Result)
	}
	return n
}

// page returns the turns before one, the newest first. One that is no more, or
// none, is the end.
func (t *turns) page(before string, count int) ([]Turn, bool) {
	end := len(t.list)
	if t.byID[before] != nil {
		end = slices.IndexFunc(t.list, func(turn *Turn) bool { return turn.ID == before })
	}
	begin, bytes := end, 0
	for begin > 0 && end-begin < count && (begin == end || bytes+size(t.list[begin-1]) <= maxPageBytes) {
		begin--
		bytes += size(t.list[begin])
	}
	page := make([]Turn, 0, end-begin)
	for _, turn := range slices.Backward(t.list[begin:end]) {
		copied := *turn
		copied.Tools, copied.Images = slices.Clone(turn.Tools), slices.Clone(turn.Images)
		page = append(page, copied)
	}
	return page, begin > 0
}
