package integration_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

// A talker is a scripted agent that writes to one address, one message after
// another, keeps each receipt, and keeps each line that it reads.
type talker struct {
	m              *harness.Machine
	pane           string
	receipts, read string // files
}

func openTalker(t *testing.T, m *harness.Machine, n int) *talker {
	t.Helper()
	k := &talker{m: m, receipts: filepath.Join(m.Home, fmt.Sprint("receipts-", n)), read: filepath.Join(m.Home, fmt.Sprint("read-", n))}
	script := fmt.Sprintf(`while IFS= read -r line; do case "$line" in "talk "*) sh -c "${line#talk }" & ;; *) printf '%%s\n' "$line" >> %s;; esac; done`, k.read)
	k.pane = harness.JSON[control.ID](m, "pane", "new", "--harness", "agent", "--cols", "200", "--", "/bin/sh", "-c", script).ID
	return k
}

// talk has it send a number of messages; a node that is away is asked again.
func (k *talker) talk(t *testing.T, to string, messages int) {
	t.Helper()
	k.m.CLI("pane", "send", k.pane, fmt.Sprintf("talk for i in $(seq %d); do %s walky send '%s' message-$i --json >> %s 2>/dev/null; sleep 0.3; done; echo end >> %[4]s",
		messages, harness.Program(t), to, k.receipts), "--enter")
}

func (k *talker) text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// Two members talk through a lead, and all three are killed at random moments.
// What was acknowledged is in the journals of its sender and of the lead, nothing
// is typed twice, and every receipt is true in the end. COLLIE_TEST_KILLS says how
// often, COLLIE_TEST_SEED at which moments; the caps of a machine bound how much is
// said in a minute.
func TestEveryReceiptIsTrueHoweverOftenTheThreePartiesAreKilled(t *testing.T) {
	t.Parallel()
	kills, seed := setting(t, "COLLIE_TEST_KILLS", 6), setting(t, "COLLIE_TEST_SEED", 1)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	c := startCrew(t)
	var talkers []*talker
	for n := range 3 {
		talkers = append(talkers, openTalker(t, c.juno, n), openTalker(t, c.iris, n))
	}
	for n := 0; n < len(talkers); n += 2 { // each to its neighbour on the other machine
		here, there := talkers[n], talkers[n+1]
		to, back := address(t, c.juno, "iris", there.pane), address(t, c.iris, "juno", here.pane)
		here.talk(t, to, 10)
		there.talk(t, back, 10)
	}
	machines := []*harness.Machine{c.juno, c.lead, c.iris}
	for range kills {
		time.Sleep(time.Duration(random.IntN(700)) * time.Millisecond) // the moment is what is tried
		m := machines[random.IntN(len(machines))]
		m.Kill()
		m.Start()
	}
	for _, k := range talkers {
		harness.Eventually(t, "the end of what "+k.m.Name+" says", func() bool { return strings.HasSuffix(k.text(t, k.receipts), "end\n") })
	}
	for _, k := range talkers {
		entered(t, k.m, k.pane)
	}
	harness.Eventually(t, "both members are reachable", func() bool { return c.state("juno") == "reachable" && c.state("iris") == "reachable" })

	acknowledged, counts := 0, map[string]int{}
	for n, k := range talkers {
		other := talkers[n^1]
		decoder := json.NewDecoder(strings.NewReader(strings.TrimSuffix(k.text(t, k.receipts), "end\n")))
		for decoder.More() {
			var receipt control.WalkyReceipt
			if err := decoder.Decode(&receipt); err != nil {
				t.Fatalf("a receipt of %s: %v", k.m.Name, err)
			}
			if receipt.State == "refused" {
				continue
			}
			acknowledged++
			var state string
			typed := func() int { return strings.Count(other.text(t, other.read), "collie walky inbox "+receipt.ID) }
			harness.Eventually(t, "the end of message "+receipt.ID, func() bool {
				state = stateOf(k.m, receipt.ID)
				return state != "accepted" && state != "held" && (state != "delivered" || typed() > 0)
			})
			counts[state]++
			through := stateOf(c.lead, receipt.ID)
			switch n := typed(); {
			case state == "":
				t.Errorf("%s was acknowledged as %s and is not in the sender's journal", receipt.ID, receipt.State)
			case receipt.State != "unknown" && receipt.State != "accepted" && through == "":
				t.Errorf("%s was acknowledged as %s and is not in the lead's journal", receipt.ID, receipt.State)
			case n > 1:
				t.Errorf("%s was typed %d times", receipt.ID, n)
			case n == 1 && (state == "refused" || state == "expired" || state == "cancelled"), n == 0 && (state == "delivered" || state == "read"):
				t.Errorf("%s is %s and was typed %d times", receipt.ID, state, n)
			}
		}
	}
	t.Logf("%d kills, seed %d: %d acknowledged, in the end %v", kills, seed, acknowledged, counts)
	if acknowledged == 0 {
		t.Error("nothing was acknowledged")
	}
}
