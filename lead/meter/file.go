package meter

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"time"

	"collie/crypto/atomicfile"
)

// ErrDay is wrapped by every refusal of a stored day.
var ErrDay = errors.New("it is not a day of load that this program wrote whole")

// heading begins the file and is its version. What follows are machines: the
// length of the id, the id, the number of points, the minutes, the points; and
// at the end the SHA-256 of all before it. Numbers are little-endian.
const heading = "collie load 1\n"

// Store writes the days of all machines to a file, if there is a point that the
// file does not have.
func (m *Meter) Store(disk atomicfile.Disk, path string) error {
	m.mu.Lock()
	data, points := m.encode(), m.added
	stored := m.stored == points
	m.mu.Unlock()
	if stored {
		return nil
	}
	if err := atomicfile.WriteOn(disk, path, data); err != nil {
		return err
	}
	m.mu.Lock()
	m.stored = points
	m.mu.Unlock()
	return nil
}

func (m *Meter) encode() []byte {
	data := []byte(heading)
	for _, id := range slices.Sorted(maps.Keys(m.machines)) {
		found := m.machines[id]
		if len(found.times) == 0 || len(id) > maxID {
			continue
		}
		data = append(append(data, byte(len(id))), id...)
		data = binary.LittleEndian.AppendUint16(data, uint16(len(found.times)))
		for i, at := range found.times {
			data = binary.LittleEndian.AppendUint64(data, uint64(at))
			for _, n := range found.points[i] {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(n))
			}
		}
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Restore begins with what a file has of the day before now. Nothing is taken of
// one that is damaged, and of none that is not there.
func (m *Meter) Restore(path string, now time.Time) error {
	data, err := atomicfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	machines, err := decode(data, now.Unix()/int64(Step/time.Second))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	m.mu.Lock()
	m.machines = machines
	m.mu.Unlock()
	return nil
}

// decode reads a file, without the points that are later than a minute or a day
// older.
func decode(data []byte, last int64) (map[string]*machine, error) {
	end := len(data) - sha256.Size
	if end < len(heading) || !bytes.HasPrefix(data, []byte(heading)) {
		return nil, fmt.Errorf("%w: it begins with something else", ErrDay)
	}
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, fmt.Errorf("%w: its sum is wrong", ErrDay)
	}
	machines := map[string]*machine{}
	r := bytes.NewReader(data[len(heading):end])
	for r.Len() > 0 {
		id, kept, err := decodeMachine(r, last)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDay, err)
		}
		if machines[id] != nil || len(machines) == MaxMachines {
			return nil, fmt.Errorf("%w: it has a machine too many", ErrDay)
		}
		machines[id] = kept
	}
	return machines, nil
}

func decodeMachine(r *bytes.Reader, last int64) (string, *machine, error) {
	length, err := r.ReadByte()
	id := make([]byte, length)
	var count uint16
	if err = errors.Join(err, binary.Read(r, binary.LittleEndian, id), binary.Read(r, binary.LittleEndian, &count)); err != nil {
		return "", nil, err
	}
	if count > Points {
		return "", nil, errors.New("a day has more minutes than a day")
	}
	kept, before := &machine{streak: map[int]int{}}, int64(-1)
	for range count {
		var at int64
		var point packed
		if err := errors.Join(binary.Read(r, binary.LittleEndian, &at), binary.Read(r, binary.LittleEndian, &point)); err != nil {
			return "", nil, err
		}
		if at <= before || slices.ContainsFunc(point[:], bad) {
			return "", nil, errors.New("a point is none")
		}
		before = at
		if at <= last && at > last-Points {
			kept.times, kept.points = append(kept.times, at), append(kept.points, point)
		}
	}
	return string(id), kept, nil
}

// bad says of a number that it measures nothing.
func bad(n float32) bool { return !(n >= 0) || math.IsInf(float64(n), 0) }
