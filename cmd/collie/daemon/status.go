package daemon

import (
	"os"

	"collie/lead/frontdoor"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/control"
	"collie/node/mask"
)

// mode is what this node is now, as the front door shows it.
func (d *daemon) mode() frontdoor.Mode {
	crew := d.crew()
	switch {
	case crew == nil:
		return frontdoor.Mode{Name: "solo"}
	case crew.Role == trust.RoleLead:
		return frontdoor.Mode{Name: "lead"}
	default:
		return frontdoor.Mode{Name: "member", Lead: crew.Lead.Label}
	}
}

// health is what anybody may know: no pane, no text, no name.
func (d *daemon) health() any {
	return struct {
		Build   string `json:"build"`
		Mode    string `json:"mode"`
		Standby string `json:"standby"`
	}{d.options.Build, d.mode().Name, "off"}
}

// settings is what a paired phone may know of how this node is set.
func (d *daemon) settings() any {
	type limits struct {
		ReplyBytes  int `json:"replyBytes"`
		Keys        int `json:"keys"`
		HistoryRows int `json:"historyRows"`
	}
	type machine struct {
		ID    string `json:"id,omitempty"`
		Label string `json:"label"`
	}
	self := machine{Label: hostname()}
	if crew := d.crew(); crew != nil {
		self = machine{crew.SelfID, crew.SelfLabel}
	}
	return struct {
		Version     string  `json:"version"`
		Mode        string  `json:"mode"`
		Masking     bool    `json:"masking"`
		MaskVersion int     `json:"maskVersion"`
		Multiplexer string  `json:"multiplexer"`
		Limits      limits  `json:"limits"`
		Machine     machine `json:"machine"`
	}{
		d.options.Build, d.mode().Name, d.node.Masking(), mask.Version, "builtin",
		limits{api.MaxReplyBytes, api.MaxKeys, api.MaxHistoryRows},
		self,
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
		Version: d.options.Build, PID: os.Getpid(), StartedAt: control.Time(d.started), Mode: d.mode().Name,
		StateDir: d.node.Folder.Dir(), HTTP: control.StatusHTTP{URL: control.Text(d.publicURL)},
		Standby: control.StatusStandby{State: "off"}, Masking: d.node.Masking(),
	}
	if endpoint := d.roles.endpoint(); endpoint != nil {
		s.Mesh.Listen = control.Text(endpoint.Addr().String())
	}
	if crew := d.crew(); crew != nil {
		s.Crew = &control.StatusCrew{ID: crew.ID.String(), Name: crew.Name, MemberID: crew.SelfID, Lead: crew.SelfID, Generation: crew.Generation}
		if crew.Lead != nil {
			s.Crew.Lead = crew.Lead.ID
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
