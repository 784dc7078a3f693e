package daemon

import (
	"os"

	"collie/lead/frontdoor"
	"collie/mesh/trust"
	"collie/node/control"
	"collie/node/tally"
)

// mode is what this node is now, as the front door shows it.
func (d *daemon) mode() frontdoor.Mode {
	crew := d.crew()
	switch {
	case crew == nil:
		if d.isOpening(nil) {
			return frontdoor.Mode{Name: frontdoor.Opening}
		}
		return frontdoor.Mode{Name: "solo"}
	case crew.Role == trust.RoleLead && d.isOpening(crew):
		return frontdoor.Mode{Name: frontdoor.Opening}
	case crew.Role == trust.RoleLead:
		return frontdoor.Mode{Name: "lead"}
	case crew.Role == trust.RoleDeposed:
		return frontdoor.Mode{Name: "deposed", Lead: crew.Lead.Label, Unhealthy: true}
	}
	mode := frontdoor.Mode{Name: "member", Lead: crew.Lead.Label}
	if now, _ := d.roles.current(); now != nil {
		mode.Unhealthy = isFormer(crew, now.identity.Fingerprint())
	}
	return mode
}

// modeName is the word for it in documents, which do not tell a front door that
// is about to open from one that is open.
func (d *daemon) modeName() string {
	switch name := d.mode().Name; {
	case name != frontdoor.Opening:
		return name
	case d.crew() == nil:
		return "solo"
	}
	return "lead"
}

// health is what anybody may know: no pane, no text, no name. What replies met is
// counted by each machine for its own panes.
func (d *daemon) health() any {
	state, _, _ := d.standbyState()
	return struct {
		Build    string     `json:"build"`
		Mode     string     `json:"mode"`
		Standby  string     `json:"standby"`
		Composer tally.Week `json:"composer"`
	}{d.options.Build, d.modeName(), state, d.node.Tally.Week()}
}

// parkedNotice says why a former lead serves nothing, and what mends it.
func parkedNotice(crew *trust.Crew) control.StatusNotice {
	again := "collie crew invite on " + crew.Lead.Label + ", then collie crew join here"
	if crew.Parked == trust.ParkedStranded {
		return control.StatusNotice{What: "the crew's secret was replaced while this former lead was away", Fix: again}
	}
	return control.StatusNotice{
		What: "this former lead has signed the crew away to a machine that is not in its list of members (" + string(crew.Parked) + "): its state is an old copy",
		Fix:  "collie crew leave, then " + again,
	}
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}

// status is the document of collie status.
func (d *daemon) status() control.Status {
	s := control.Status{
		Version: d.options.Build, PID: os.Getpid(), StartedAt: control.Time(d.started), Mode: d.modeName(),
		StateDir: d.node.Folder.Dir(), HTTP: control.StatusHTTP{URL: control.Text(d.publicURL)},
		Masking: d.node.Masking(),
	}
	state, door, closed := d.standbyState()
	s.Standby = control.StatusStandby{URL: control.Text(door), State: state}
	if closed != nil {
		s.Trouble = append(s.Trouble, control.StatusNotice{What: "the standby door is not open: " + closed.Error(), Fix: "free the port, or set COLLIE_STANDBY_PORT to another one and start the node again"})
	}
	if endpoint := d.roles.endpoint(); endpoint != nil {
		s.Mesh.Listen = control.Text(endpoint.Addr().String())
	}
	if crew := d.crew(); crew != nil {
		s.Crew = &control.StatusCrew{ID: crew.ID.String(), Name: crew.Name, MemberID: crew.SelfID, Lead: crew.SelfID, Generation: crew.Generation}
		if crew.Lead != nil {
			s.Crew.Lead = crew.Lead.ID
		}
		if said, some := crew.Warrant.Said(); some {
			s.Crew.Deputy = control.Text(said.Deputy)
		}
		if crew.Role == trust.RoleDeposed {
			s.Trouble = append(s.Trouble, parkedNotice(crew))
		}
	}
	if d.refused != nil {
		s.Trouble = append(s.Trouble, control.StatusNotice{
			What: "the crew part is off: " + d.refused.Error(),
			Fix:  "bring the file back from a backup, or move it away and join again",
		})
	}
	if err := d.crewUnsaved(); err != nil {
		s.Trouble = append(s.Trouble, control.StatusNotice{What: err.Error() + "; a restart would undo it", Fix: "free space on the disk; it is stored by itself then"})
	}
	if err := d.node.Audit.Refused(); err != nil {
		s.Trouble = append(s.Trouble, control.StatusNotice{
			What: "nothing is typed or changed here: " + err.Error(), Fix: "free space on the disk, or make it writable; it goes on by itself then",
		})
	}
	if err := d.devices.Unsaved(); err != nil {
		s.Trouble = append(s.Trouble, control.StatusNotice{
			What: "a revoked device would come back with a restart: " + err.Error(), Fix: "free space on the disk; it is stored by itself then",
		})
	}
	if _, err := d.roles.current(); err != nil {
		s.Trouble = append(s.Trouble, control.StatusNotice{
			What: "the crew link is not open, and is tried again: " + err.Error(),
			Fix:  "free what it needs, or set COLLIE_MESH_LISTEN to another port and start the node again",
		})
	}
	return s
}
