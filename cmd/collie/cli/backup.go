package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"collie/crypto/atomicfile"
	"collie/crypto/sealed"
	"collie/node/audit"
	"collie/node/backup"
	"collie/node/config"
	"collie/node/state"
)

// backedUp is the document of collie backup.
type backedUp struct {
	File  string   `json:"file"`
	Files []string `json:"files"`
	Bytes int      `json:"sizeBytes"`
}

func (a *app) backup() *cobra.Command {
	var out, passphrase string
	var recipients []string
	var force bool
	command := &cobra.Command{
		Use: "backup -o FILE [--recipient age1…|@FILE]… | [--passphrase -|@FILE|env:NAME]", Short: "Keep this node's identity, crew, devices and settings in one age file",
		Long: "Keep what a node cannot draw anew in one file that age can open: identity and keys, crew, paired devices, settings. " +
			"Whoever opens it is this machine to the crew. Without --recipient a passphrase closes it: from stdin, a file, a variable, " +
			"or asked for. Panes, messages, logs, schedules and channels are not in it.",
		Example: "  collie backup -o collie.age\n  collie backup -o collie.age --recipient @recipients.txt", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			if out == "" || len(recipients) > 0 && passphrase != "" {
				return usage(command, fmt.Errorf("want -o FILE, and recipients or a passphrase"))
			}
			settings, err := config.Load(os.Environ())
			if err != nil {
				return err
			}
			archive, err := backup.Collect(foldersOf(settings), time.Now())
			if err != nil {
				return err
			}
			lock, err := a.lock(command.Context(), recipients, passphrase)
			if err != nil {
				return err
			}
			content, err := archive.Bytes()
			if err != nil {
				return err
			}
			data, err := lock.Seal(content)
			if err != nil {
				return err
			}
			if _, err := os.Lstat(out); !force && !errors.Is(err, fs.ErrNotExist) {
				return &stated{fmt.Errorf("%s is there already", out), exitFailed, "give another name, or --force"}
			}
			if err := atomicfile.Write(out, data); err != nil {
				return err
			}
			done := backedUp{File: out, Bytes: len(data)}
			for _, f := range archive.Files {
				done.Files = append(done.Files, f.Name)
			}
			return a.print(done, func(w io.Writer) {
				fmt.Fprintf(w, "%s holds %s\n", done.File, strings.Join(done.Files, ", "))
			})
		},
	}
	command.Flags().StringVarP(&out, "output", "o", "", "the file to write")
	command.Flags().StringArrayVar(&recipients, "recipient", nil, "who can open it: an age recipient, or @FILE of several; may be repeated")
	command.Flags().StringVar(&passphrase, "passphrase", "", "where the passphrase is: - (stdin), @FILE or env:NAME")
	command.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return command
}

// restored is the document of collie restore.
type restored struct {
	MadeAt  time.Time       `json:"madeAt"`
	Files   []string        `json:"files"`
	Kept    bool            `json:"devicesKept"`
	Devices []backup.Device `json:"devices"`
}

func (a *app) restore() *cobra.Command {
	var identity, passphrase string
	var o backup.Options
	command := &cobra.Command{
		Use: "restore FILE [--identity @FILE] | [--passphrase -|@FILE|env:NAME]", Short: "Put a backup of this node back",
		Long: "Put back what collie backup kept, on a node that does not run. What is there is not replaced without --force. Paired " +
			"devices come back only with --keep-devices, which lists them: one that was revoked since would be paired again. A crew that " +
			"was put back signs nothing away and obeys no takeover until another machine of it was reached. Two machines must not run " +
			"from one backup.",
		Example: "  collie restore collie.age\n  collie restore collie.age --identity @key.txt --keep-devices", Args: arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			if identity != "" && passphrase != "" {
				return usage(command, fmt.Errorf("want --identity or --passphrase, not both"))
			}
			done, err := a.putBack(command.Context(), args[0], identity, passphrase, o)
			if err != nil {
				return err
			}
			return a.print(done, func(w io.Writer) { printRestored(w, done) })
		},
	}
	command.Flags().StringVar(&identity, "identity", "", "age identities that open it: @FILE or - (stdin)")
	command.Flags().StringVar(&passphrase, "passphrase", "", "where the passphrase is: - (stdin), @FILE or env:NAME")
	command.Flags().BoolVar(&o.KeepDevices, "keep-devices", false, "pair the phones of the backup again")
	command.Flags().BoolVar(&o.Force, "force", false, "replace what is there")
	return command
}

func (a *app) putBack(ctx context.Context, path, identity, passphrase string, o backup.Options) (done restored, err error) {
	settings, err := config.Load(os.Environ())
	if err != nil {
		return restored{}, err
	}
	data, err := atomicfile.Read(path, backup.MaxSealed)
	if err != nil {
		return restored{}, err
	}
	folders := foldersOf(settings)
	folder, err := state.Open(folders.State, a.logger()) // refuses a node that runs
	if err != nil {
		return restored{}, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	unlock, err := a.unlock(ctx, identity, passphrase)
	if err != nil {
		return restored{}, err
	}
	content, err := unlock.Open(data, backup.MaxContent)
	if err != nil {
		return restored{}, err
	}
	archive, err := backup.Parse(content)
	if err != nil {
		return restored{}, err
	}
	devices, err := archive.Devices()
	if err != nil {
		return restored{}, err
	}
	o.Disk = atomicfile.OS{}
	audited := false
	o.Audit = func() error {
		err := auditRestored(folder, settings, archive.MadeAt, "accepted")
		audited = err == nil
		return err
	}
	files, err := archive.Restore(folders, o)
	if err != nil && audited {
		err = errors.Join(err, auditRestored(folder, settings, archive.MadeAt, "failed"))
	}
	if errors.Is(err, backup.ErrThere) {
		return restored{}, &stated{err, exitWrongState, "move it away, or give --force to replace it"}
	}
	return restored{MadeAt: archive.MadeAt, Files: files, Kept: o.KeepDevices, Devices: append([]backup.Device{}, devices...)}, err
}

// auditRestored writes down which backup is put back, and that it failed. No node runs that could.
func auditRestored(folder *state.Folder, settings *config.Config, madeAt time.Time, outcome string) error {
	log, err := audit.Open(folder.Path("audit.log"), audit.Options{Content: audit.Content(settings.Get("COLLIE_AUDIT_CONTENT"))})
	if err != nil {
		return err
	}
	entry := audit.Entry{Action: "restore", Via: "cli", What: audit.ID(madeAt.Format(time.RFC3339)), Outcome: outcome}
	return errors.Join(log.Write(entry), log.Close())
}

func printRestored(w io.Writer, done restored) {
	fmt.Fprintf(w, "put back as of %s: %s\n", done.MadeAt.Format(time.RFC3339), strings.Join(done.Files, ", "))
	for _, d := range done.Devices {
		state := "not paired; pair it again (collie pair)"
		if done.Kept {
			state = "paired again; if it was revoked since: collie devices revoke"
		}
		fmt.Fprintf(w, "%s: %s\n", d.Label, state)
	}
}

func foldersOf(settings *config.Config) backup.Folders {
	return backup.Folders{State: settings.Get("COLLIE_STATE_DIR"), Config: settings.Dir}
}

// lock is how a backup is closed.
func (a *app) lock(ctx context.Context, recipients []string, passphrase string) (sealed.Lock, error) {
	if len(recipients) == 0 {
		phrase, err := a.passphrase(ctx, passphrase)
		if err != nil {
			return sealed.Lock{}, err
		}
		return sealed.LockBy(phrase)
	}
	var all []string
	for _, given := range recipients {
		text, err := given, error(nil)
		if strings.HasPrefix(given, "@") {
			text, err = a.read(given, maxSecretBytes)
		}
		if err != nil {
			return sealed.Lock{}, err
		}
		all = append(all, text)
	}
	return sealed.LockFor(strings.Join(all, "\n"))
}

// unlock is how a backup is opened.
func (a *app) unlock(ctx context.Context, identity, passphrase string) (sealed.Unlock, error) {
	if identity == "" {
		phrase, err := a.passphrase(ctx, passphrase)
		if err != nil {
			return sealed.Unlock{}, err
		}
		return sealed.UnlockBy(phrase)
	}
	if identity != "-" && !strings.HasPrefix(identity, "@") {
		return sealed.Unlock{}, &stated{errors.New("an age identity is a secret, and no argument"), exitUsage, "give it as @FILE, or on stdin with -"}
	}
	text, err := a.read(identity, maxSecretBytes)
	if err != nil {
		return sealed.Unlock{}, err
	}
	return sealed.UnlockWith(text)
}

// passphrase reads a passphrase from where it is said to be, or asks for it. A
// line end behind it is not part of it.
func (a *app) passphrase(ctx context.Context, from string) (string, error) {
	text, err := "", error(nil)
	switch name, variable := strings.CutPrefix(from, "env:"); {
	case from == "":
		text, err = a.ask(ctx, "Passphrase: ")
	case variable:
		text = os.Getenv(name)
	case from == "-", strings.HasPrefix(from, "@"):
		text, err = a.read(from, maxSecretBytes)
	default:
		err = &stated{errors.New("a passphrase is no argument"), exitUsage, "give it as - (stdin), @FILE or env:NAME"}
	}
	return strings.TrimRight(text, "\r\n"), err
}
