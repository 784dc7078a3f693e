package site

import (
	"fmt"
	"testing"
	"time"
)

func TestTheTableOfSourcesIsBounded(t *testing.T) {
	t.Parallel()
	var table Tries
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range maxSources {
		if !table.Allow(fmt.Sprint(i), now) {
			t.Fatalf("source %d is refused", i)
		}
	}
	if table.Allow("one more", now) || !table.Allow("7", now) {
		t.Fatal("a full table must refuse who is new and go on with who is known")
	}
	if !table.Allow("one more", now.Add(TriesWindow)) || len(table.at) != 1 {
		t.Fatalf("a minute later the table holds %d sources", len(table.at))
	}
}
