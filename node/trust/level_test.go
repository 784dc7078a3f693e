package trust

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestOnlyTheOperatorMayInstruct(t *testing.T) {
	t.Parallel()
	for level, want := range map[Level]bool{0: false, Public: false, Participant: false, Operator: true, Operator + 1: false, 255: false} {
		if got := level.MayInstruct(); got != want {
			t.Errorf("%v: may instruct %v, want %v", level, got, want)
		}
	}
}

func TestLevelTravelsAsItsWord(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal([]Level{Public, Participant, Operator})
	if err != nil || string(data) != `["public","participant","operator"]` {
		t.Fatalf("marshalled %s, %v", data, err)
	}
	var levels []Level
	if err := json.Unmarshal(data, &levels); err != nil {
		t.Fatal(err)
	}
	if levels[0] != Public || levels[1] != Participant || levels[2] != Operator {
		t.Fatalf("unmarshalled %v", levels)
	}
}

func TestNoLevelIsNeverAbsentOrUnknown(t *testing.T) {
	t.Parallel()
	for _, level := range []Level{0, Operator + 1} {
		if _, err := level.MarshalText(); !errors.Is(err, ErrLevel) {
			t.Errorf("%v marshalled: %v", level, err)
		}
	}
	for _, word := range []string{"", "none", "Operator", "operator ", "root", "level 4"} {
		level := Public
		if err := level.UnmarshalText([]byte(word)); !errors.Is(err, ErrLevel) || level != Public {
			t.Errorf("%q became %v: %v", word, level, err)
		}
	}
}
