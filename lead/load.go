package lead

import (
	"context"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/crypto/atomicfile"
	"collie/lead/meter"
	"collie/node/api"
	"collie/node/load"
	"collie/node/mask"
)

// thisMachine is what a solo node is called where a machine has to be named.
const thisMachine = "this"

func (m *remote) Load(ctx context.Context) (load.Reading, error) {
	reading, err := m.machine.Load(ctx)
	return reading, on(m.host, err)
}

// LoadFiles are what FollowLoad reads and writes.
type LoadFiles struct {
	Rules string // the operator's; see meter.LoadRules
	Day   string // what is known of the last day
}

// FollowLoad asks every machine once a minute what it is busy with, for the day's
// history and the operator's rules, until ctx ends. In between nothing is asked
// unless somebody looks. The day is stored every storeEvery and at the end.
func (l *Lead) FollowLoad(ctx context.Context, files LoadFiles) error {
	if err := l.meter.Restore(files.Day, l.now()); err != nil {
		l.log.Warn("the day of load begins anew", "error", err)
	}
	minutes, store := time.NewTicker(meter.Step), time.NewTicker(storeEvery)
	defer minutes.Stop()
	defer store.Stop()
	defer l.storeDay(files.Day)
	for l.minute(ctx, files.Rules); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-store.C:
			l.storeDay(files.Day)
		case <-minutes.C:
			// Not at the start: the members come into the herd one after another.
			l.meter.Keep(l.machineKeys())
			l.minute(ctx, files.Rules)
		}
	}
}

// storeDay writes the day to the disk. One that refuses it is asked again.
func (l *Lead) storeDay(path string) {
	if err := l.meter.Store(atomicfile.OS{}, path); err != nil {
		l.log.Warn("the day of load could not be stored", "error", err)
	}
}

// machineKeys are what the meter calls the machines of the herd.
func (l *Lead) machineKeys() []string {
	var keys []string
	for _, info := range l.herd.infos() {
		keys = append(keys, l.Here(info.ID))
	}
	return keys
}

// minute asks every machine for the point of the minute that ends, which is judged
// by the rules as they are now.
func (l *Lead) minute(ctx context.Context, rules string) {
	l.readRules(rules)
	l.ask(ctx, l.herd.infos(), func(info api.MachineInfo, reading *load.Reading) {
		l.meter.Minute(l.Here(info.ID), info.ID, reading, l.now())
	})
}

// readRules reads the operator's rules, as they are now. Without them none is
// judged, and whoever looks is told why.
func (l *Lead) readRules(path string) {
	rules, err := meter.LoadRules(path)
	problem := ""
	if err != nil {
		problem = err.Error()
		l.log.Warn("no alert rule is judged", "error", err)
	}
	l.meter.SetRules(rules)
	l.rulesProblem.Store(&problem)
}

// ask asks machines for their counters, several at once, and tells each of them,
// nil for one that does not answer.
func (l *Lead) ask(ctx context.Context, machines []api.MachineInfo, tell func(api.MachineInfo, *load.Reading)) {
	places := make(chan struct{}, maxAsked)
	var asked sync.WaitGroup
	for _, info := range machines {
		places <- struct{}{}
		asked.Go(func() {
			defer func() { <-places }()
			machine, err := l.herd.machine(info.ID)
			var reading load.Reading
			if err == nil {
				reading, err = machine.Load(ctx)
			}
			if err != nil {
				tell(info, nil)
				return
			}
			tell(info, &reading)
		})
	}
	asked.Wait()
}

// infos are the machines of the herd; on a solo node this one, without an id.
func (h *herd) infos() []api.MachineInfo {
	now, _ := h.look("")
	var infos []api.MachineInfo
	for _, part := range now.seen().parts {
		info := part.info
		if info.ID == "" || info.Lead {
			info.LastSeenAt = now.at
		}
		infos = append(infos, info)
	}
	return infos
}

// LoadRoutes show a phone what the machines are busy with.
func (l *Lead) LoadRoutes() []api.Route {
	return []api.Route{
		{Method: http.MethodGet, Path: "/machines", Handle: l.machinesNow},
		{Method: http.MethodGet, Path: "/machines/:id/history", Handle: l.machineHistory},
	}
}

// machinesNow answers what every machine is busy with. What is known is a few
// seconds old at most: somebody looks.
func (l *Lead) machinesNow(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	machines := l.herd.infos()
	var stale []api.MachineInfo
	for _, info := range machines {
		if now, known := l.meter.Now(l.Here(info.ID)); !known || l.now().Sub(now.At) >= lookEvery {
			stale = append(stale, info)
		}
	}
	l.ask(r.Context(), stale, func(info api.MachineInfo, reading *load.Reading) {
		if reading != nil {
			l.meter.Look(l.Here(info.ID), *reading, l.now())
		}
	})
	answer := api.Machines{At: l.now().UnixMilli(), Machines: []api.MachineLoad{}}
	if problem := l.rulesProblem.Load(); problem != nil {
		answer.Problem = *problem
	}
	for _, info := range machines {
		answer.Machines = append(answer.Machines, l.machineLoad(info))
	}
	answer, _ = mask.Answer(l.node.Mask, answer)
	api.WriteJSON(w, answer)
}

func (l *Lead) machineLoad(info api.MachineInfo) api.MachineLoad {
	key := l.Here(info.ID)
	shown := api.MachineLoad{MachineInfo: info, Alerts: []api.MachineAlert{}}
	if info.ID == "" {
		shown.ID, shown.State, shown.Build = thisMachine, "reachable", l.node.Build
	}
	if now, known := l.meter.Now(key); known && l.now().Sub(now.At) < 2*meter.Step {
		r := now.Reading
		shown.Load = &api.MachineNow{
			At: now.At.UnixMilli(), Cores: r.Cores, MemoryUsedBytes: r.MemoryUsedBytes, MemoryTotalBytes: r.MemoryTotalBytes, Load1: r.Load1,
		}
		if rates := now.Rates; rates != nil {
			shown.Load.CPU, shown.Load.ReceivedBytesPerSec, shown.Load.SentBytesPerSec = rounded(rates.CPU), rounded(rates.ReceivedBytesPerSec), rounded(rates.SentBytesPerSec)
		}
	}
	for _, alert := range l.meter.Alerts(key) {
		shown.Alerts = append(shown.Alerts, api.MachineAlert(alert))
	}
	return shown
}

// rounded leaves three digits behind the point: more nobody sees.
func rounded(n float64) *float64 {
	n = math.Round(n*1000) / 1000
	return &n
}

func (l *Lead) machineHistory(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
	id := params.ByName("id")
	for _, info := range l.herd.infos() {
		if info.ID != id && (info.ID != "" || id != thisMachine) {
			continue
		}
		answer := api.MachineHistory{ID: id, StepMs: meter.Step.Milliseconds()}
		points := l.meter.History(l.Here(info.ID), l.now())
		if len(points) > 0 {
			answer.From = points[0].At.UnixMilli()
		}
		for _, list := range []struct {
			to *[]*float64
			of func(load.Rates) float64
		}{
			{&answer.CPU, func(r load.Rates) float64 { return r.CPU }},
			{&answer.Memory, func(r load.Rates) float64 { return r.Memory }},
			{&answer.Load, func(r load.Rates) float64 { return r.Load }},
			{&answer.ReceivedBytesPerSec, func(r load.Rates) float64 { return r.ReceivedBytesPerSec }},
			{&answer.SentBytesPerSec, func(r load.Rates) float64 { return r.SentBytesPerSec }},
		} {
			*list.to = make([]*float64, len(points))
			for i, point := range points {
				if !point.Absent {
					(*list.to)[i] = rounded(list.of(point.Rates))
				}
			}
		}
		api.WriteJSON(w, answer)
		return
	}
	api.WriteError(w, api.ErrHostUnknown)
}
