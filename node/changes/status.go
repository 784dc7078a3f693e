package changes

import (
	"fmt"
	"strings"
)

// parseStatus reads what git status --porcelain=v2 -z says. With cut the last
// record may be a piece, and is left out.
func parseStatus(out []byte, cut bool) ([]Change, error) {
	records := strings.Split(string(out), "\x00")
	last := records[len(records)-1]
	records = records[:len(records)-1] // behind the last zero byte there is nothing
	if !cut && last != "" {
		return nil, fmt.Errorf("%w: its status has no end", ErrGit)
	}
	var changes []Change
	for i := 0; i < len(records); i++ {
		record := records[i]
		kind, rest, _ := strings.Cut(record, " ")
		switch kind {
		case "#", "!":
			continue
		case "?":
			changes = append(changes, Change{Path: rest, Unstaged: "untracked"})
		case "1", "2", "u":
			change, err := tracked(kind, rest)
			if err != nil {
				return nil, err
			}
			if kind == "2" {
				if i++; i == len(records) {
					if cut {
						return changes, nil
					}
					return nil, fmt.Errorf("%w: a rename without its old name", ErrGit)
				}
				change.From = records[i]
			}
			changes = append(changes, change)
		default:
			return nil, fmt.Errorf("%w: its status has a record %q", ErrGit, kind)
		}
	}
	return changes, nil
}

// fieldsBefore is how many fields stand before the path, by the kind of record.
var fieldsBefore = map[string]int{"1": 7, "2": 8, "u": 9}

func tracked(kind, rest string) (Change, error) {
	fields := strings.SplitN(rest, " ", fieldsBefore[kind]+1)
	if len(fields) != fieldsBefore[kind]+1 || len(fields[0]) != 2 || fields[len(fields)-1] == "" {
		return Change{}, fmt.Errorf("%w: its status has a short record", ErrGit)
	}
	change := Change{Path: fields[len(fields)-1]}
	if kind == "u" {
		change.Unstaged = "conflicted"
		return change, nil
	}
	change.Staged, change.Unstaged = letters[fields[0][0]], letters[fields[0][1]]
	return change, nil
}

var letters = map[byte]string{
	'M': "modified", 'T': "typechange", 'A': "added", 'D': "deleted", 'R': "renamed", 'C': "copied", 'U': "conflicted",
}
