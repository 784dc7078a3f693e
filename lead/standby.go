package lead

import (
	"collie/mesh/trust"
	"collie/node/api"
)

// standbyOf is where a phone may go when this lead is gone: the door of the
// deputy, if a live warrant names one and it has a door.
func (h *herd) standbyOf(crew *trust.Crew) *api.Standby {
	said, some := crew.Warrant.Said()
	if !some || crew.Warrant.Door == "" || trust.CheckLive(said, h.now()) != nil {
		return nil
	}
	deputy, found := crew.Member(said.Deputy)
	if !found || deputy.Fingerprint != said.DeputyFingerprint {
		return nil
	}
	return &api.Standby{Machine: h.word(deputy.Label), URL: crew.Warrant.Door}
}
