package terminal

// scrollback keeps lines that left the screen, packed (see packed.go) and bounded
// in lines and in bytes; the oldest lines go first.
//
// Lines stand behind each other in chunks. A line's place is its chunk's number
// and its offset there. A chunk is used again once its last line is gone, so
// that a full scrollback allocates nothing.
type scrollback struct {
	limit int // lines

	chunks [][]byte
	first  uint64   // number of chunks[0]
	spare  [][]byte // empty chunks

	places []place // ring
	head   int     // index of the oldest line in places
	count  int
	buffer []byte // packs one line
}

// A place is where a line begins.
type place uint64

func (p place) chunk() uint64 { return uint64(p) / scrollbackChunkBytes }
func (p place) offset() int   { return int(uint64(p) % scrollbackChunkBytes) }

// push adds a line as the newest.
func (b *scrollback) push(l *line, t *texts) {
	if b.limit == 0 {
		return
	}
	b.buffer = packLine(b.buffer[:0], l, t)
	if last := len(b.chunks) - 1; last < 0 || len(b.chunks[last])+len(b.buffer) > scrollbackChunkBytes {
		b.addChunk()
	}
	if b.count == b.limit {
		b.dropOldest()
	}
	last := len(b.chunks) - 1
	b.addPlace(place((b.first+uint64(last))*scrollbackChunkBytes + uint64(len(b.chunks[last]))))
	b.chunks[last] = append(b.chunks[last], b.buffer...)
}

// at returns line i, counted from the oldest, packed.
func (b *scrollback) at(i int) []byte {
	p := b.places[(b.head+i)%len(b.places)]
	chunk := b.chunks[p.chunk()-b.first]
	if i+1 < b.count {
		if next := b.places[(b.head+i+1)%len(b.places)]; next.chunk() == p.chunk() {
			chunk = chunk[:next.offset()]
		}
	}
	return chunk[p.offset():]
}

// wraps reports whether line i goes on in the next.
func (b *scrollback) wraps(i int) bool { return b.at(i)[0] == markWrap }

// dropNewest forgets the line that was pushed last.
func (b *scrollback) dropNewest() {
	b.count--
	p := b.places[(b.head+b.count)%len(b.places)]
	chunk := &b.chunks[p.chunk()-b.first]
	*chunk = (*chunk)[:p.offset()]
}

func (b *scrollback) dropOldest() {
	b.head = (b.head + 1) % len(b.places)
	b.count--
	b.dropChunks()
}

// dropChunks sets the chunks aside that no line is in any more.
func (b *scrollback) dropChunks() {
	for len(b.chunks) > 1 && (b.count == 0 || b.places[b.head].chunk() != b.first) {
		if len(b.spare) < maxSpareChunks {
			b.spare = append(b.spare, b.chunks[0][:0])
		}
		n := copy(b.chunks, b.chunks[1:])
		b.chunks[n] = nil
		b.chunks = b.chunks[:n]
		b.first++
	}
}

// addChunk makes room for more lines; beyond the bound, at the cost of those in
// the oldest chunk.
func (b *scrollback) addChunk() {
	for b.count > 0 && len(b.chunks) >= maxScrollbackBytes/scrollbackChunkBytes {
		b.dropOldest()
	}
	var chunk []byte
	if last := len(b.spare) - 1; last >= 0 {
		chunk, b.spare = b.spare[last], b.spare[:last]
	}
	b.chunks = append(b.chunks, chunk)
}

// addPlace appends to the ring, which grows up to the limit of lines.
func (b *scrollback) addPlace(p place) {
	if b.count == len(b.places) {
		grown := make([]place, min(max(2*b.count, 64), b.limit))
		n := copy(grown, b.places[b.head:])
		copy(grown[n:], b.places[:b.head])
		b.places, b.head = grown, 0
	}
	b.places[(b.head+b.count)%len(b.places)] = p
	b.count++
}

// clear forgets every line.
func (b *scrollback) clear() { *b = scrollback{limit: b.limit} }
