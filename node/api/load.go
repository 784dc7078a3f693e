package api

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"collie/node/load"
)

// A Loaded machine says what it is busy with, as counters.
type Loaded interface {
	Load(ctx context.Context) (load.Reading, error)
}

// ErrLoadUnavailable says that a machine's system does not tell its load.
var ErrLoadUnavailable = Refusal(http.StatusNotImplemented, "load_unavailable", "the load of that machine cannot be read")

// Machines is what GET machines answers: every machine of the crew, or on a solo
// node this one.
type Machines struct {
	At       int64         `json:"at"`
	Machines []MachineLoad `json:"machines"`
	// Problem says why no alert rules are judged, if there are any.
	Problem string `json:"problem,omitempty"`
}

// MachineLoad is a machine, its link, and what it is busy with.
type MachineLoad struct {
	MachineInfo
	Load   *MachineNow    `json:"load"` // nil while it is not known
	Alerts []MachineAlert `json:"alerts"`
}

// MachineNow is what a machine is busy with. CPU and Memory are shares from 0 to
// 1; what needs two looks is nil after the first one.
type MachineNow struct {
	At                  int64    `json:"at"`
	CPU                 *float64 `json:"cpu"`
	Cores               int      `json:"cores"`
	MemoryUsedBytes     uint64   `json:"memoryUsedBytes"`
	MemoryTotalBytes    uint64   `json:"memoryTotalBytes"`
	Load1               float64  `json:"load1"`
	ReceivedBytesPerSec *float64 `json:"receivedBytesPerSec"`
	SentBytesPerSec     *float64 `json:"sentBytesPerSec"`
}

// MachineAlert is an alert rule that holds for a machine.
type MachineAlert struct {
	Metric  string  `json:"metric"` // cpu, memory, load, received, sent
	Above   float64 `json:"above"`
	Minutes int     `json:"minutes"` // for so long
}

// MachineHistory is a day of a machine, a point for each minute from From on. What
// is not known is nil. Load is the load average of one core.
type MachineHistory struct {
	ID                  string     `json:"id"`
	From                int64      `json:"from"`
	StepMs              int64      `json:"stepMs"`
	CPU                 []*float64 `json:"cpu"`
	Memory              []*float64 `json:"memory"`
	Load                []*float64 `json:"load"`
	ReceivedBytesPerSec []*float64 `json:"receivedBytesPerSec"`
	SentBytesPerSec     []*float64 `json:"sentBytesPerSec"`
}

func (h *Handlers) loadRoutes() []Route {
	return []Route{{http.MethodGet, "/load", h.load}}
}

func (h *Handlers) load(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (load.Reading, error) { return m.Load(ctx) })
}

// Load asks that machine for its counters.
func (c *Client) Load(ctx context.Context) (load.Reading, error) {
	reading, err := get[load.Reading](ctx, c, "/load", nil, maxPlainValues)
	if err == nil && reading.Check() != nil {
		return load.Reading{}, ErrHostAnswer
	}
	return reading, err
}
