package hooks

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the plugins
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
)

// opencodePlugin is loaded by OpenCode and tells of its events as other
// harnesses' hooks do.
//
//go:embed opencode.js
var opencodePlugin string

// sealLine begins a plugin of ours; what follows is the digest of all after it.
const sealLine = "// Written by collie hooks install; collie hooks uninstall removes it as long as nothing is changed. "

// ErrEdited says that a plugin's file was changed, or is somebody else's.
var ErrEdited = errors.New("this file is not as Collie wrote it, so it is left alone; move it away first")

// pluginText is the file that runs a program.
func (f File) pluginText(program string) []byte {
	quoted, _ := json.Marshal(program) // a text can be written
	body := strings.Replace(f.Harness.plugin, `"COLLIE"`, string(quoted), 1)
	return []byte(sealLine + digest([]byte(body)) + "\n" + body)
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// asWritten reports whether a file is as some version of Collie wrote it.
func asWritten(data []byte) bool {
	first, body, _ := bytes.Cut(data, []byte{'\n'})
	said, ours := bytes.CutPrefix(first, []byte(sealLine))
	return ours && string(said) == digest(body)
}

func (f File) installPlugin(program string) (Report, error) {
	changed, err := f.change(func(now []byte, there bool) ([]byte, bool, error) {
		if there && !asWritten(now) {
			return nil, false, ErrEdited
		}
		return f.pluginText(program), true, nil
	})
	return Report{State: Installed, Changed: changed}, err
}

func (f File) uninstallPlugin() (Report, error) {
	changed, err := f.change(func(now []byte, there bool) ([]byte, bool, error) {
		if there && !asWritten(now) {
			return nil, false, ErrEdited
		}
		return nil, false, nil
	})
	return Report{State: Absent, Changed: changed}, err
}

// pluginStatus says of a changed file that it is outdated.
func (f File) pluginStatus(data []byte, program string) Report {
	if bytes.Equal(data, f.pluginText(program)) {
		return Report{State: Installed}
	}
	return Report{State: Outdated}
}
