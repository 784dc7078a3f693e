package backup

import (
	"encoding/json"
	"errors"
	"time"

	"collie/mesh/trust"
)

// A Device is a paired phone in a backup, without what would let it in.
type Device struct {
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// Devices lists the phones that a backup would pair again.
func (a Archive) Devices() ([]Device, error) {
	var all []Device
	for _, f := range a.Files {
		if isDevices(f.Name) {
			some, err := parseDevices(f.Data)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

func isDevices(name string) bool {
	return name == inState+string(trust.DevicesOwn) || name == inState+string(trust.DevicesCrew)
}

// parseDevices reads of a list of devices what a person is shown. Its owner reads
// it strictly when the node starts.
func parseDevices(data []byte) ([]Device, error) {
	var list struct {
		Version int      `json:"version"`
		Devices []Device `json:"devices"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	if list.Version != 1 || len(list.Devices) > trust.MaxDevices {
		return nil, errors.New("not a list of paired devices")
	}
	return list.Devices, nil
}
