package audit

import (
	"bufio"
	"errors"
	"io"
)

// scanned is one line of a file as it is found. Data is valid until the next.
type scanned struct {
	n    int // from 1
	data []byte
	line Line
	err  error // why data is no audit line
}

// scan reads the whole lines in the first size bytes of r and returns where
// the last one ends.
func scan(r io.ReaderAt, size int64, visit func(scanned) error) (end int64, err error) {
	buffered := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), maxLineBytes+2)
	for n := 1; ; n++ {
		data, err := buffered.ReadSlice('\n')
		length := int64(len(data))
		for errors.Is(err, bufio.ErrBufferFull) {
			var more []byte
			more, err = buffered.ReadSlice('\n')
			length += int64(len(more))
			data = more
		}
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		if err != nil {
			return end, err
		}
		end += length
		s := scanned{n: n, data: data[:len(data)-1]}
		if length > int64(len(data)) {
			s.err = errors.New("is too long")
		} else {
			s.line, s.err = parseLine(s.data)
		}
		if err := visit(s); err != nil {
			return end, err
		}
	}
}
