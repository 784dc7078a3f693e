package control

import "time"

// SentLine is a row of collie sent list.
type SentLine struct {
	ID   string `json:"id"`
	At   Time   `json:"at"`
	Pane string `json:"pane"`
	Line string `json:"line"`
}

// Millis is a time of the API, in epoch milliseconds.
func Millis(ms int64) Time { return Time(time.UnixMilli(ms)) }
