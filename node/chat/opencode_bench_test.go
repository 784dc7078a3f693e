package chat_test

import (
	"database/sql"
	"fmt"
	"testing"

	"collie/node/chat"
)

// BenchmarkDatabasePage reads the newest page of a long session, beside what only
// opens the file and counts the session's messages.
func BenchmarkDatabasePage(b *testing.B) {
	source, db := opencode(b)
	run(b, db, "BEGIN")
	for n := range 4000 {
		ask(b, db, n)
	}
	run(b, db, "COMMIT")
	b.Run("turns", func(b *testing.B) {
		for b.Loop() {
			page(b, &chat.Library{}, source, "", 30)
		}
	})
	b.Run("count of rows", func(b *testing.B) {
		for b.Loop() {
			reader, err := sql.Open("sqlite", fmt.Sprintf("file:%s?mode=ro", path(source)))
			must(b, err)
			var count int
			must(b, reader.QueryRow(`SELECT count(*) FROM message WHERE session_id = ?`, recorded).Scan(&count))
			must(b, reader.Close())
		}
	})
}
