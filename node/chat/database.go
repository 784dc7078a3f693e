package chat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// A database is a session in OpenCode's SQLite file. OpenCode writes to it while
// it is read, so each page is one short reading transaction. Nothing is kept but
// the names of the pictures that pages showed.
//
// The file is opened for reading alone. While its write-ahead log is there, that
// is read as well, for which SQLite takes its place in the index beside it.
// Without one the file is complete, and is opened as one that does not change:
// so no file appears beside it that was not there.
type database struct {
	source Source

	mu     sync.Mutex        // guards images
	images map[string]string // by its hash, the part that holds a picture
}

func (d *database) of() Source { return d.source }

func (d *database) page(ctx context.Context, before string, count int) (Page, error) {
	var page Page
	err := read(ctx, d.source, func(ctx context.Context, tx *sql.Tx) error {
		page = Page{}
		r := reading{tx: tx, session: d.source.Session, page: &page, images: map[string]string{}}
		if err := r.read(ctx, before, count); err != nil {
			return err
		}
		d.remember(r.images)
		return nil
	})
	return page, err
}

func (d *database) remember(images map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.images == nil || len(d.images)+len(images) > maxImageNames {
		d.images = map[string]string{}
	}
	for hash, part := range images {
		d.images[hash] = part
	}
}

// image reads a picture that a page showed again.
func (d *database) image(ctx context.Context, hash string) ([]byte, error) {
	d.mu.Lock()
	part, ok := d.images[hash]
	d.mu.Unlock()
	if !ok {
		return nil, ErrNoImage
	}
	var content []byte
	err := read(ctx, d.source, func(ctx context.Context, tx *sql.Tx) error {
		var data []byte
		row := tx.QueryRowContext(ctx, `SELECT data FROM part WHERE id = ? AND session_id = ? AND octet_length(data) <= ?`, part, d.source.Session, maxLineBytes)
		if err := row.Scan(&data); errors.Is(err, sql.ErrNoRows) {
			return ErrNoImage
		} else if err != nil {
			return err
		}
		var p opencodePart
		_ = json.Unmarshal(data, &p) // then there is no picture
		content, ok = decodeImage(p.URL)
		if image, shown := nameImage(content); !ok || !shown || image.Hash != hash {
			return ErrNoImage // it is another one by now
		}
		return nil
	})
	return content, err
}

// A reading collects a page.
type reading struct {
	tx      *sql.Tx
	session string
	page    *Page
	bytes   int
	images  map[string]string
}

// A messageRow is a message; data is nil where it is too long.
type messageRow struct {
	id   string
	at   int64
	data []byte
}

// read goes from the newest message to older ones, as many as the page holds.
func (r *reading) read(ctx context.Context, before string, count int) error {
	var end messageRow
	err := r.tx.QueryRowContext(ctx, `SELECT id, time_created FROM message WHERE id = ? AND session_id = ?`, before, r.session).Scan(&end.id, &end.at)
	if errors.Is(err, sql.ErrNoRows) { // one that is no more, or none, is the end
		end = messageRow{at: 1<<63 - 1}
	} else if err != nil {
		return err
	}
	for range maxBatches {
		batch, err := r.messages(ctx, end)
		if err != nil {
			return err
		}
		for i, m := range batch {
			full, err := r.take(ctx, m)
			if err != nil {
				return err
			}
			if full || len(r.page.Turns) == count {
				r.page.More = full || i < len(batch)-1 || len(batch) == batchRows
				return nil
			}
		}
		if len(batch) < batchRows {
			return nil
		}
		end = batch[len(batch)-1]
	}
	r.page.Cut = true // nobody talks like that
	return nil
}

// messages returns some that are older than one. What the person took back is
// left out, as OpenCode leaves it out until it deletes it.
func (r *reading) messages(ctx context.Context, end messageRow) ([]messageRow, error) {
	rows, err := r.tx.QueryContext(ctx, `
		SELECT id, time_created, CASE WHEN octet_length(data) <= ? THEN data END FROM message
		WHERE session_id = ? AND (time_created, id) < (?, ?)
			AND id < coalesce((SELECT CASE WHEN json_valid(revert) THEN json_extract(revert, '$.messageID') END FROM session WHERE id = ?), '~')
		ORDER BY time_created DESC, id DESC LIMIT ?`, maxMessageBytes, r.session, end.at, end.id, r.session, batchRows)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var batch []messageRow
	for rows.Next() {
		var m messageRow
		if err := rows.Scan(&m.id, &m.at, &m.data); err != nil {
			return nil, err
		}
		batch = append(batch, m)
	}
	return batch, rows.Err()
}

// take adds the turn of a message to the page, unless the page is full.
func (r *reading) take(ctx context.Context, m messageRow) (full bool, err error) {
	turn, ok := opencodeTurn(m.id, time.UnixMilli(m.at), m.data)
	if !ok {
		r.page.Skipped++
	}
	if turn == nil {
		return false, nil
	}
	var t turns
	t.reset()
	begun := t.at(m.id, *turn)
	skipped, err := r.parts(ctx, &t, begun)
	if err != nil {
		return false, err
	}
	if n := size(begun); len(r.page.Turns) > 0 && r.bytes+n > maxPageBytes {
		return true, nil
	}
	r.page.Skipped += skipped
	if begun.Text == "" && len(begun.Tools) == 0 && len(begun.Images) == 0 {
		return false, nil
	}
	r.bytes += size(begun)
	r.page.Turns = append(r.page.Turns, *begun)
	return false, nil
}

// parts reads what a message consists of.
func (r *reading) parts(ctx context.Context, t *turns, turn *Turn) (skipped int, err error) {
	rows, err := r.tx.QueryContext(ctx, `
		SELECT id, CASE WHEN octet_length(data) <= ? THEN data END FROM part
		WHERE message_id = ? AND session_id = ? ORDER BY id LIMIT ?`, maxLineBytes, turn.ID, r.session, maxParts+1)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var id string
	var data sql.RawBytes
	for n := 0; rows.Next(); n++ {
		if n == maxParts {
			turn.Cut = true
			break
		}
		if err := rows.Scan(&id, &data); err != nil {
			return 0, err
		}
		before := len(turn.Images)
		if !opencodePartOf(data, t, turn) {
			skipped++
		}
		for _, image := range turn.Images[before:] {
			r.images[image.Hash] = id
		}
	}
	return skipped, rows.Err()
}

// read does something in one reading transaction of a database. One that is
// begun or ended by its program meanwhile is opened once more.
func read(ctx context.Context, s Source, do func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	path := filepath.Join(s.Root, s.Path)
	for last := false; ; last = true {
		logged, err := hasLog(path)
		if err != nil {
			return err
		}
		err = transact(ctx, path, logged, do)
		if after, _ := hasLog(path); last || after == logged {
			if err != nil && !errors.Is(err, ErrNoImage) && !errors.Is(err, ErrNone) {
				return fmt.Errorf("read a database of sessions: %w", err)
			}
			return err
		}
	}
}

// hasLog reports whether a database has a write-ahead log.
func hasLog(path string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return false, fmt.Errorf("look at a database of sessions: %w", err)
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("look at a database of sessions: %w: it is no file", fs.ErrInvalid)
	}
	log, err := os.Lstat(path + "-wal")
	return err == nil && log.Size() > 0, nil
}

func transact(ctx context.Context, path string, logged bool, do func(context.Context, *sql.Tx) error) error {
	settings := "mode=ro&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=busy_timeout(" + busyMilliseconds + ")"
	if !logged {
		settings += "&immutable=1"
	}
	// A path may have any sign, and a question mark ends it in a URL.
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: path}).EscapedPath()+"?"+settings)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	return do(ctx, tx)
}
