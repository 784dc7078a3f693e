package meter

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"collie/node/load"
	"collie/node/strict"
)

// TableName is the operator's file of rules in the config folder.
const TableName = "alerts.toml"

// ErrTable is wrapped by every refusal of the operator's file.
var ErrTable = errors.New(TableName + " cannot be used")

// metrics are what a rule may be about, each as a number that people say:
// percent, load per core, megabytes a second.
var metrics = map[string]func(load.Rates) float64{
	"cpu":      func(r load.Rates) float64 { return 100 * r.CPU },
	"memory":   func(r load.Rates) float64 { return 100 * r.Memory },
	"load":     func(r load.Rates) float64 { return r.Load },
	"received": func(r load.Rates) float64 { return r.ReceivedBytesPerSec / 1e6 },
	"sent":     func(r load.Rates) float64 { return r.SentBytesPerSec / 1e6 },
}

// A Rule says when a machine wants attention: a metric that stays above a
// threshold for a time.
type Rule struct {
	Metric   string   `toml:"metric"`
	Above    float64  `toml:"above"`
	For      string   `toml:"for"`
	Machines []string `toml:"machines"` // ids; empty is every machine

	minutes int
}

// An Alert is a rule that holds for a machine.
type Alert struct {
	Metric  string
	Above   float64
	Minutes int // for so long it has held
}

// LoadRules reads the operator's file. One that is not there has no rules.
func LoadRules(path string) ([]Rule, error) {
	var file struct {
		Alert []Rule `toml:"alert"`
	}
	data, err := strict.Load(path, &file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if len(file.Alert) > MaxRules {
		return nil, fmt.Errorf("%w: more than %d rules", ErrTable, MaxRules)
	}
	for i := range file.Alert {
		if err := file.Alert[i].check(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTable, strict.In(data, "alert", i, err))
		}
	}
	return file.Alert, nil
}

func (r *Rule) check() error {
	duration, err := time.ParseDuration(r.For)
	switch {
	case metrics[r.Metric] == nil:
		return errors.New("metric is one of cpu, memory, load, received, sent")
	case !(r.Above > 0) || r.Above > 1e9:
		return errors.New("above is a number above 0")
	case err != nil || duration < minDuration || duration > maxDuration:
		return errors.New(`for is a time from "1m" to "24h"`)
	case len(r.Machines) > MaxMachines:
		return errors.New("it names too many machines")
	}
	r.minutes = int((duration + Step - 1) / Step)
	return nil
}

// SetRules says which rules there are. With other ones than before every time
// begins anew.
func (m *Meter) SetRules(rules []Rule) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if reflect.DeepEqual(m.rules, rules) {
		return
	}
	m.rules = rules
	for _, found := range m.machines {
		found.streak = map[int]int{}
	}
}

// judge counts for each rule how many points in a row were above.
func (m *machine) judge(name string, rates load.Rates, rules []Rule) {
	for i, rule := range rules {
		if (len(rule.Machines) == 0 || slices.Contains(rule.Machines, name)) && metrics[rule.Metric](rates) > rule.Above {
			m.streak[i]++
		} else {
			delete(m.streak, i)
		}
	}
}

// Alerts returns the rules that hold for a machine: each point of the time that
// they name was above.
func (m *Meter) Alerts(id string) []Alert {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.machines[id]
	if found == nil {
		return nil
	}
	var alerts []Alert
	for i, rule := range m.rules {
		if minutes := found.streak[i]; rule.minutes > 0 && minutes >= rule.minutes {
			alerts = append(alerts, Alert{Metric: rule.Metric, Above: rule.Above, Minutes: minutes})
		}
	}
	return alerts
}
