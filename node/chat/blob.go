package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// ErrNoImage says that no log that is kept read has such a picture.
var ErrNoImage = errors.New("no picture of that name was seen")

// Image returns the bytes of a picture that a page named. They are read from the
// log again: nobody keeps pictures.
func (l *Library) Image(ctx context.Context, hash string) ([]byte, error) {
	l.mu.Lock()
	logs := slices.Clone(l.logs)
	l.mu.Unlock()
	for _, log := range logs {
		data, err := log.image(ctx, hash)
		if err == nil || ctx.Err() != nil || !errors.Is(err, ErrNoImage) {
			return data, err
		}
	}
	return nil, ErrNoImage
}

func (f *file) image(_ context.Context, hash string) ([]byte, error) {
	at, ok := f.offsetOf(hash)
	if !ok {
		return nil, ErrNoImage
	}
	return f.source.imageAt(at, hash)
}

// offsetOf is where the line with a picture begins.
func (f *file) offsetOf(hash string) (int64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, turn := range f.turns.list {
		for _, image := range turn.Images {
			if image.Hash == hash {
				return image.at, true
			}
		}
	}
	return 0, false
}

// imageAt reads one line of a log and looks for a picture in it.
func (s Source) imageAt(at int64, hash string) ([]byte, error) {
	log, err := s.open()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	line, err := bufio.NewReaderSize(io.NewSectionReader(log, at, maxLineBytes+1), chunkBytes).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	for {
		token, err := decoder.Token()
		if err != nil { // the log is another one by now
			return nil, ErrNoImage
		}
		text, ok := token.(string)
		if !ok || len(text) < minImageText {
			continue
		}
		if content, ok := decodeImage(text); ok {
			if image, ok := nameImage(content); ok && image.Hash == hash {
				return content, nil
			}
		}
	}
}
