package daemon

import (
	"collie/node/api"
	"collie/node/mask"
	"collie/node/pane"
)

// settings is what a paired phone may know of this node: GET /api/config.
type settings struct {
	Version     string `json:"version"`
	Mode        string `json:"mode"`
	Masking     bool   `json:"masking"`
	MaskVersion int    `json:"maskVersion"`
	// Multiplexer is the name of what keeps the panes, and its version where it is
	// a program of its own; Capabilities are what it can do beyond what all can.
	Multiplexer        string       `json:"multiplexer"`
	MultiplexerVersion string       `json:"multiplexerVersion,omitempty"`
	Capabilities       capabilities `json:"capabilities"`
	// Harnesses are the agents that this node recognises.
	Harnesses []string        `json:"harnesses"`
	Limits    settingsLimits  `json:"limits"`
	Machine   settingsMachine `json:"machine"`
}

type capabilities struct {
	ExitStatus pane.Extent `json:"exitStatus"`
	PasteKnown bool        `json:"pasteKnown"`
}

type settingsLimits struct {
	ReplyBytes  int `json:"replyBytes"`
	Keys        int `json:"keys"`
	HistoryRows int `json:"historyRows"`
}

type settingsMachine struct {
	ID    string `json:"id,omitempty"`
	Label string `json:"label"`
}

func (d *daemon) settings() any {
	self := settingsMachine{Label: hostname()}
	if crew := d.crew(); crew != nil {
		self = settingsMachine{crew.SelfID, crew.SelfLabel}
	}
	mux := d.node.Panes.Capabilities()
	return settings{
		Version: d.options.Build, Mode: d.modeName(), Masking: d.node.Masking(), MaskVersion: mask.Version,
		Multiplexer: mux.Name, MultiplexerVersion: mux.Version,
		Capabilities: capabilities{mux.ExitStatus, mux.PasteKnown},
		Harnesses:    d.node.Harnesses(),
		Limits:       settingsLimits{api.MaxReplyBytes, api.MaxKeys, api.MaxHistoryRows},
		Machine:      self,
	}
}
