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

func (a *app) maskCommand() *cobra.Command {
	var width int
	var lines bool
	command := &cobra.Command{
		Use: "mask", Short: "Mask secrets in text from stdin",
		Long: "Read text from stdin and print it with every secret of a recognised shape replaced by marks of the same width.\n" +
			"With --jsonl each line of stdin is {\"id\",\"text\",\"width\"?,\"surface\"?} and is answered by {\"id\",\"text\"}.",
		Example: "  collie mask < session.log\n  tmux capture-pane -pe | collie mask --width 80", Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if width < 0 {
				return &usageError{errors.New("--width is a number of columns")}
			}
			if lines {
				return a.maskLines()
			}
			text, err := io.ReadAll(a.stdin)
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

func (a *app) maskLines() error {
	type question struct {
		ID      json.RawMessage `json:"id"`
		Text    string          `json:"text"`
		Width   int             `json:"width"`
		Surface string          `json:"surface"`
	}
	type answer struct {
		ID   json.RawMessage `json:"id"`
		Text string          `json:"text"`
	}
	m := mask.New()
	in := bufio.NewScanner(a.stdin)
	in.Buffer(make([]byte, 64<<10), api.MaxAnswerBytes)
	out := bufio.NewWriter(a.stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for n := 1; in.Scan(); n++ {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil || q.Width < 0 {
			return errors.Join(out.Flush(), fmt.Errorf("line %d is not a question", n))
		}
		masked, _ := m.Text(q.Text, mask.Options{Width: q.Width, Surface: q.Surface})
		if err := encoder.Encode(answer{q.ID, masked}); err != nil {
			return err
		}
		if err := out.Flush(); err != nil { // whoever asks may wait for each answer
			return err
		}
	}
	return in.Err()
}
