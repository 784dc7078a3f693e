package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"collie/node/api"
	"collie/node/mask"
)

// maxMaskBytes bounds a text that is masked as a whole, as all are but JSON
// lines.
const maxMaskBytes = 256 << 20

func (a *app) maskCommand() *cobra.Command {
	var width int
	var lines bool
	command := &cobra.Command{
		Use: "mask", Short: "Mask secrets in text from stdin",
		Long: "Read text from stdin and print it with every secret of a recognised shape replaced by marks of the same width.\n" +
			"With --jsonl each line of stdin is {\"id\",\"text\",\"width\"?,\"surface\"?} and is answered by {\"id\",\"text\"}.",
		Example: "  collie mask < session.log\n  tmux capture-pane -pe | collie mask --width 80", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			if width < 0 {
				return usage(command, errors.New("--width is a number of columns"))
			}
			if lines && command.Flags().Changed("width") {
				return usage(command, errors.New("with --jsonl each line has its own width"))
			}
			if lines {
				return a.maskLines()
			}
			text, err := io.ReadAll(io.LimitReader(a.stdin, maxMaskBytes+1))
			if err == nil && len(text) > maxMaskBytes {
				err = fmt.Errorf("stdin has more than %d MiB; mask it in parts", maxMaskBytes>>20)
			}
			if err != nil {
				return err
			}
			masked, _ := mask.New().Append(nil, text, mask.Options{Width: width})
			_, err = a.stdout.Write(masked)
			return err
		},
	}
	command.Flags().IntVar(&width, "width", 0, "columns at which the text was wrapped; 0 when it was not")
	command.Flags().BoolVar(&lines, "jsonl", false, "read and answer JSON lines")
	return command
}

// A maskQuestion is a line of mask --jsonl, a maskAnswer what it is answered by.
type maskQuestion struct {
	ID      json.RawMessage `json:"id"`
	Text    *string         `json:"text"`
	Width   int             `json:"width"`
	Surface string          `json:"surface"`
}

type maskAnswer struct {
	ID   json.RawMessage `json:"id"`
	Text string          `json:"text"`
}

func (a *app) maskLines() error {
	m := mask.New()
	in := bufio.NewScanner(a.stdin)
	in.Buffer(make([]byte, 64<<10), api.MaxAnswerBytes)
	out := bufio.NewWriter(a.stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	n := 0
	for in.Scan() {
		n++
		var q maskQuestion
		// The parser's own words could quote what was to be masked.
		if json.Unmarshal(in.Bytes(), &q) != nil || q.ID == nil || q.Text == nil || q.Width < 0 {
			return fmt.Errorf("line %d is not of the form {\"id\", \"text\", \"width\"?, \"surface\"?}", n)
		}
		masked, _ := m.Text(*q.Text, mask.Options{Width: q.Width, Surface: q.Surface})
		if err := encoder.Encode(maskAnswer{q.ID, masked}); err != nil {
			return err
		}
		if err := out.Flush(); err != nil { // whoever asks may wait for each answer
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d has more than %d MiB", n+1, api.MaxAnswerBytes>>20)
	}
	return in.Err()
}
