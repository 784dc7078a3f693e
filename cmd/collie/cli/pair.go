package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"collie/node/control"
)

func (a *app) pair() *cobra.Command {
	var expires string
	command := &cobra.Command{
		Use: "pair", Short: "Show a code with which a phone can pair",
		Long:    "Show an 8-character code, valid ten minutes, and a QR code that opens the pairing screen with it.",
		Example: "  collie pair\n  collie pair --expires 30d",
		Args:    arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var code control.PairCode
			if err := a.call(command.Context(), http.MethodPost, "/pair", control.PairRequest{Lifetime: expires}, &code); err != nil {
				return err
			}
			if a.json {
				return a.print(code, nil)
			}
			a.printCode(code)
			return nil
		},
	}
	command.Flags().StringVar(&expires, "expires", "", "how long the device stays paired: 12h, 30d, 2w; without it, until it is revoked")
	return command
}

// printCode shows a pairing code, on a terminal with a picture to scan.
func (a *app) printCode(code control.PairCode) {
	if toTerminal(a.stdout) {
		fmt.Fprintf(a.stdout, "%s, or scan this:\n\n", whereToOpen(code.URL))
		printQR(a.stdout, pairURL(code))
		fmt.Fprintln(a.stdout)
	} else {
		fmt.Fprintf(a.stdout, "%s.\n", whereToOpen(code.URL))
	}
	fmt.Fprintf(a.stdout, "Pairing code  %s  (until %s)\n", inHalves(code.Code), code.ExpiresAt)
}

// whereToOpen says who can reach an address: a phone cannot reach one of loopback.
func whereToOpen(address string) string {
	if u, err := url.Parse(address); err == nil {
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsLoopback() {
			return "Open " + address + " in a browser on this machine (a phone needs COLLIE_PUBLIC_URL)"
		}
	}
	return "Open " + address + " on the phone"
}

// inHalves puts a dash in the middle, where a reader rests.
func inHalves(code string) string { return code[:len(code)/2] + "-" + code[len(code)/2:] }

// pairURL opens the pairing screen with the code filled in. It stands in the
// fragment, which no server and no log gets to see.
func pairURL(code control.PairCode) string { return code.URL + "/#pair=" + code.Code }

func (a *app) devices() *cobra.Command {
	change := func(use, short, example string, args cobra.PositionalArgs, verb string, body func(args []string) any, done string) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Example: example, Args: arguments(args),
			RunE: func(command *cobra.Command, args []string) error {
				path := "/devices/" + url.PathEscape(args[0]) + "/" + verb
				var ok control.OK
				if err := a.call(command.Context(), http.MethodPost, path, body(args), &ok); err != nil {
					return err
				}
				return a.print(ok, func(w io.Writer) {
					fmt.Fprintf(w, "%s: %s\n", args[0], done)
					pending(w, ok)
				})
			},
		}
	}
	none := func([]string) any { return struct{}{} }
	return group("devices", "Look at paired devices and revoke them", "  collie devices list\n  collie devices revoke old-phone",
		&cobra.Command{
			Use: "list", Short: "List the paired devices", Example: "  collie devices list", Args: arguments(cobra.NoArgs),
			RunE: func(command *cobra.Command, _ []string) error {
				var devices []control.Device
				if err := a.call(command.Context(), http.MethodGet, "/devices", nil, &devices); err != nil {
					return err
				}
				return a.print(devices, func(w io.Writer) {
					if len(devices) == 0 {
						fmt.Fprintln(w, "No device is paired. Run: collie pair")
						return
					}
					table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
					fmt.Fprintln(table, "DEVICE\tPAIRED\tLAST SEEN\tEXPIRES")
					for _, d := range devices {
						fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", d.Label, d.CreatedAt, or(d.LastSeenAt.String(), "never"), expiry(d))
					}
					_ = table.Flush()
				})
			},
		},
		change("revoke LABEL", "Take a device's access away, at once", "  collie devices revoke old-phone", cobra.ExactArgs(1), "revoke", none, "revoked"),
		change("set-expiry LABEL LIFETIME", "Give a device a lifetime that counts from now", "  collie devices set-expiry pixel 90d",
			cobra.ExactArgs(2), "set-expiry", func(args []string) any { return control.PairRequest{Lifetime: args[1]} }, "lifetime set"),
		change("clear-expiry LABEL", "Let a device stay paired until it is revoked", "  collie devices clear-expiry pixel", cobra.ExactArgs(1), "clear-expiry", none, "no expiry"),
	)
}

func expiry(d control.Device) string {
	switch {
	case d.Expired:
		return "expired " + d.ExpiresAt.String()
	case d.ExpiresAt.String() == "":
		return "never"
	default:
		return d.ExpiresAt.String()
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
