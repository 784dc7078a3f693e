package control_test

import (
	"encoding/json"
	"testing"
	"time"

	"collie/node/control"
)

func TestTimesAreUTCWithMillisecondsAndNullWithout(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 14, 0, 0, 5_999_999, time.FixedZone("", 3600))
	for value, want := range map[control.Time]string{
		control.Time(at): `"2026-11-30T13:00:00.005Z"`,
		{}:               `null`,
	} {
		data, err := json.Marshal(value)
		if err != nil || string(data) != want {
			t.Errorf("%v is written %s (%v), want %s", value, data, err, want)
		}
		var back control.Time
		if err := json.Unmarshal(data, &back); err != nil || back.String() != value.String() {
			t.Errorf("%s is read as %v, %v", data, back, err)
		}
	}
	for _, bad := range []string{`"yesterday"`, `5`, `"2026-11-30"`} {
		var back control.Time
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s is read as %v", bad, back)
		}
	}
}

func TestAnEmptyTextIsNull(t *testing.T) {
	t.Parallel()
	for value, want := range map[control.Text]string{"a": `"a"`, "": `null`} {
		data, err := json.Marshal(value)
		if err != nil || string(data) != want {
			t.Errorf("%q is written %s (%v), want %s", value, data, err, want)
		}
		back := value
		if err := json.Unmarshal(data, &back); err != nil || back != value {
			t.Errorf("%s is read as %q, %v", data, back, err)
		}
	}
}
