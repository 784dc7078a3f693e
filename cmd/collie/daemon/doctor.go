package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"collie/crypto/atomicfile"
	"collie/mesh"
	"collie/node/audit"
	"collie/node/control"
	"collie/node/link"
)

const (
	// lowDiskBytes is when a nearly full disk is worth a warning.
	lowDiskBytes = 200 << 20
	// wantedUDPBuffer is what QUIC likes to have for receiving.
	wantedUDPBuffer = 2 << 20
)

// The verdicts, worst last.
const (
	fine = "ok"
	warn = "warn"
	fail = "fail"
)

// doctor looks at everything that is known to go wrong and says how to mend
// it.
func (d *daemon) doctor(ctx context.Context, _ *control.Call) (any, error) {
	checks := []control.Check{
		checkPrivate(d.node.Folder.Dir(), d.options.Config.Dir), d.checkSettings(), d.checkBind(), d.checkFrontDoor(ctx), d.checkDevices(), d.checkMask(),
		checkRoom(d.node.Folder.Dir(), writes), d.checkAudit(), checkLaunchers(d.options.Config.Dir), d.checkWalky(), checkWalkyOn(d.options.Config), d.checkDoors(), d.checkCrewFile(),
	}
	checks = slices.Concat(checks, d.checkInput(), d.checkTmux(ctx), d.checkCrew())
	return control.Doctor{Verdict: worst(checks), Checks: checks}, nil
}

func worst(checks []control.Check) string {
	verdict := fine
	for _, c := range checks {
		if c.Verdict == fail || (c.Verdict == warn && verdict == fine) {
			verdict = c.Verdict
		}
	}
	return verdict
}

func check(id, verdict, reason, fix string) control.Check {
	return control.Check{ID: id, Verdict: verdict, Reason: reason, Fix: control.Text(fix)}
}

// checkPrivate looks for what others could read or change.
func checkPrivate(dirs ...string) control.Check {
	const id = "secrets-private"
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return nil // it went away meanwhile
			}
			if entry.Type()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
				return fmt.Errorf("%s can be used by others (mode %o)", path, info.Mode().Perm())
			}
			return nil
		})
		if err != nil {
			return check(id, fail, err.Error(), "chmod -R go= "+dir)
		}
	}
	return check(id, fine, "state and config folders are this account's alone", "")
}

func (d *daemon) checkDevices() control.Check {
	const id = "devices"
	devices, err := d.devices.Devices()
	switch {
	case err != nil:
		return check(id, fail, err.Error(), "bring back or move away "+d.node.Folder.Path("devices.json"))
	case d.devices.Unsaved() != nil:
		return check(id, fail, "a revoked device is not off the list yet: "+d.devices.Unsaved().Error(), "free space on the disk; it is stored by itself then")
	case d.mode().Name == "member":
		return check(id, fine, "phones pair with the lead", "")
	case len(devices) == 0:
		return check(id, warn, "no device is paired, so no phone gets an answer", "collie pair")
	default:
		return check(id, fine, strconv.Itoa(len(devices))+" paired", "")
	}
}

func (d *daemon) checkMask() control.Check {
	if !d.node.Masking() {
		return check("mask", warn, "secrets leave this machine unmasked", "remove COLLIE_REDACT=off and start the node again")
	}
	return check("mask", fine, "secrets of a known shape are masked", "")
}

// checkRoom says whether the disk of a state folder takes what a node keeps.
// takes is how to find out.
func checkRoom(dir string, takes func(dir string) error) control.Check {
	const id = "disk"
	var stat unix.Statfs_t
	if err := takes(dir); err != nil {
		return check(id, fail, "the state folder cannot be written: "+err.Error(), "free space on its disk, or make it writable; a node that runs goes on by itself then")
	}
	if err := unix.Statfs(dir, &stat); err != nil {
		return check(id, warn, err.Error(), "")
	}
	if free := stat.Bavail * uint64(stat.Bsize); free < lowDiskBytes {
		return check(id, fail, fmt.Sprintf("%d MiB are left for the state folder", free>>20), "free some space")
	}
	return check(id, fine, "there is room", "")
}

// writes writes a file and removes it again.
func writes(dir string) error {
	staged, err := atomicfile.StageOn(atomicfile.OS{}, filepath.Join(dir, "doctor"), []byte("is there room?\n"))
	if err != nil {
		return err
	}
	return staged.Discard()
}

// mayWrite asks the kernel, and writes nothing.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK) }

func (d *daemon) checkAudit() control.Check {
	return checkChain(d.node.Audit.Verify())
}

func checkChain(kept audit.Kept, err error) control.Check {
	switch {
	case err != nil:
		return check("audit", fail, err.Error(), "keep the file for whoever asks, and move it away")
	case kept.Behind > 0:
		return check("audit", fine, fmt.Sprintf("the chain is whole; %d times the record of its end was behind, as after a crash", kept.Behind), "")
	}
	return check("audit", fine, "the chain is whole", "")
}

func refusedCrew(err error) control.Check {
	return check("crew-file", fail, err.Error(), "bring it back from a backup, or move it away and join again")
}

func (d *daemon) checkCrewFile() control.Check {
	if d.refused != nil {
		return refusedCrew(d.refused)
	}
	if err := d.crewUnsaved(); err != nil {
		return check("crew-file", fail, err.Error(), "free space on the disk; it is stored by itself then")
	}
	return check("crew-file", fine, "the trust store is believed", "")
}

// checkCrew looks at the link to each node of the crew.
func (d *daemon) checkCrew() []control.Check {
	crew := d.crew()
	if crew == nil {
		return nil
	}
	endpoint := d.roles.endpoint()
	if endpoint == nil {
		reason := "the crew link is not open"
		if _, err := d.roles.current(); err != nil {
			reason += ", and is tried again: " + err.Error()
		}
		return []control.Check{check("crew-link", fail, reason, "set COLLIE_MESH_LISTEN to a free port and start the node again")}
	}
	checks := []control.Check{check("crew-link", fine, "udp "+endpoint.Addr().String(), ""), checkFallback(endpoint), checkUDPBuffer()}
	for _, m := range crew.Members {
		checks = append(checks, checkLink("link-"+m.ID, endpoint.LinkState(m.Fingerprint)))
		if m.SecretGeneration != crew.SecretGeneration {
			checks = append(checks, check("secret-"+m.ID, warn, "it does not hold the current crew secret", "on it: collie crew join, with a new token"))
		}
	}
	if crew.Lead != nil {
		checks = append(checks, checkLink("link-"+crew.Lead.ID, endpoint.LinkState(crew.Lead.Fingerprint)))
		if d.standby.IsDeputy() {
			checks = append(checks, d.checkStandby())
		}
	}
	return checks
}

// checkStandby looks at the door of a deputy, without which nobody can tap.
func (d *daemon) checkStandby() control.Check {
	const id = "standby"
	if d.options.Config.Get("COLLIE_STANDBY_PORT") == "" {
		return check(id, warn, "this machine is the deputy, and has no standby door to take over by", "set COLLIE_STANDBY_PORT in "+filepath.Join(d.options.Config.Dir, ".env")+" and start the node again")
	}
	state, door, closed := d.standbyState()
	if closed != nil {
		return check(id, fail, "the standby door is not open: "+closed.Error(), "free the port, or set COLLIE_STANDBY_PORT to another one and start the node again")
	}
	if door == "" {
		return check(id, warn, "the standby door is not open yet", "wait a moment, and run collie doctor again")
	}
	return check(id, fine, "the standby door is "+state+" on "+door, "")
}

func checkLink(id string, state mesh.Link) control.Check {
	skew := link.Skew(state)
	switch {
	case state.State != mesh.StateReachable:
		return check(id, fail, string(state.State)+": "+state.Reason, "see collie crew status on both machines")
	case skew != "":
		return check(id, warn, skew, "timedatectl set-ntp true, on both machines")
	default:
		return check(id, fine, "answers in "+state.RTT.Round(10*time.Microsecond).String()+" via "+state.Via, "")
	}
}

// checkFallback says whether nodes to whom UDP does not pass can dial this one.
func checkFallback(endpoint *mesh.Endpoint) control.Check {
	addr, err := endpoint.Fallback()
	if err != nil {
		return check("crew-tcp", warn, err.Error(), "free the port, or set COLLIE_MESH_LISTEN to one that is free for both, and start the node again")
	}
	return check("crew-tcp", fine, "tcp "+addr.String(), "")
}

// checkUDPBuffer reads what the kernel allows a socket to receive into.
func checkUDPBuffer() control.Check {
	data, err := os.ReadFile("/proc/sys/net/core/rmem_max")
	size, parseErr := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || parseErr != nil {
		return check("udp-buffer", fine, "the kernel does not say", "")
	}
	if size < wantedUDPBuffer {
		return check("udp-buffer", warn, fmt.Sprintf("a UDP socket may buffer %d KiB, which can slow the link down", size>>10), "sudo sysctl -w net.core.rmem_max=7500000")
	}
	return check("udp-buffer", fine, fmt.Sprintf("a UDP socket may buffer %d KiB", size>>10), "")
}
