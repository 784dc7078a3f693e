// Package model_test checks the model of takeover, deposition and promotion in
// this folder with spin: that its properties hold, and that each rule of it is
// needed. README.md says what the model leaves out.
package model_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/crypto/need"
)

const (
	patience  = 3 * time.Minute // one search, on a machine that does other things
	depth     = "-m20000"       // steps in one run; some hundreds are needed
	wholeText = "errors: 0"     // what pan says when it has seen all states
)

// A search is one exploration of the model: within which bounds, with which
// rule broken, for which property.
type search struct {
	acts, faults string
	broken       string   // no rule, if empty
	only         string   // all properties, if empty
	compile, run []string // further options of gcc and of pan
}

// states explores and returns what pan has to say.
func (s search) states(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"spin", "gcc"} {
		need.Program(t, program)
	}
	model, err := filepath.Abs("succession.pml")
	if err != nil {
		t.Fatal(err)
	}
	define := []string{"-a", "-DACTS=" + s.acts, "-DFAULTS=" + s.faults}
	if s.broken != "" {
		define = append(define, "-D"+s.broken)
	}
	if s.only != "" {
		define = append(define, "-DONLY="+s.only)
	}
	folder := t.TempDir()
	output(t, folder, "spin", append(define, model)...)
	output(t, folder, "gcc", append(s.compile, "-w", "-o", "pan", "pan.c")...)
	said := output(t, folder, "./pan", append(s.run, depth, "-n")...)
	if strings.Contains(said, "max search depth too small") {
		t.Fatalf("the search did not see everything:\n%s", said)
	}
	return said
}

func output(t *testing.T, folder, program string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = folder
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, text)
	}
	return string(text)
}

func TestEveryPropertyHoldsWhateverHappens(t *testing.T) {
	t.Parallel()
	for name, bounds := range map[string]search{
		"one command, three faults": {acts: "1", faults: "3"},
		"two commands, two faults":  {acts: "2", faults: "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bounds.compile = []string{"-O1", "-DSAFETY", "-DCOLLAPSE"}
			bounds.run = []string{"-w22"}
			if said := bounds.states(t); !strings.Contains(said, wholeText) {
				t.Errorf("a property is broken:\n%s", said)
			}
		})
	}
}

// What converges says of a crew at rest is worth something only if every crew
// comes to rest.
func TestEveryRunComesToRest(t *testing.T) {
	t.Parallel()
	all := search{acts: "1", faults: "2", compile: []string{"-O1", "-DNP", "-DCOLLAPSE"}, run: []string{"-l", "-w21"}}
	if said := all.states(t); !strings.Contains(said, wholeText) {
		t.Errorf("a run goes round in circles:\n%s", said)
	}
}

// brokenRules breaks each rule once, within the least bounds in which its
// property then fails.
var brokenRules = []search{
	{broken: "NO_QUESTION_TO_LEAD", only: "one_lead", acts: "0", faults: "1"},
	{broken: "NO_WITNESS_ASKED", only: "one_lead", acts: "0", faults: "1"},
	{broken: "HEARD_LEAD_IS_NO_OBJECTION", only: "one_lead", acts: "0", faults: "1"},
	{broken: "HIGHER_WARRANT_IS_NO_OBJECTION", only: "one_lead", acts: "1", faults: "2"},
	{broken: "CALL_DOES_NOT_CANCEL", only: "one_lead", acts: "0", faults: "2"},
	{broken: "NEW_WARRANT_DOES_NOT_CANCEL", only: "one_lead", acts: "2", faults: "2"},
	{broken: "TAKEOVER_KEEPS_GENERATION", only: "one_lead", acts: "0", faults: "2"},
	{broken: "OLD_LEAD_TAKES_BACK", only: "one_lead", acts: "1", faults: "0"},
	{broken: "NAMES_OVER_A_DEPUTY", only: "one_lead", acts: "1", faults: "2"},
	{broken: "HANDS_OVER_BESIDE_A_DEPUTY", only: "one_lead", acts: "1", faults: "2"},
	{broken: "NO_BOOT_GATE", only: "deposed_serves_not", acts: "0", faults: "1"},
	{broken: "SERVES_UNTIL_STORED", only: "deposed_serves_not", acts: "0", faults: "3"},
	{broken: "WARRANT_ALONE_COUNTS", only: "only_deputy_deposes", acts: "0", faults: "0"},
	{broken: "ANYBODY_SIGNS_TAKEOVERS", only: "only_deputy_deposes", acts: "0", faults: "0"},
	{broken: "SUPERSEDED_WARRANT_DEPOSES", only: "only_deputy_deposes", acts: "1", faults: "2"},
	{broken: "CLAIMS_NEED_NO_APPROVAL", only: "only_deputy_deposes", acts: "0", faults: "0"},
	{broken: "WARRANT_OUTLIVES_ITS_LEAD", only: "only_deputy_deposes", acts: "2", faults: "2"},
	{broken: "HANDOVER_NOT_KEPT", only: "never_leaderless", acts: "1", faults: "0"},
	{broken: "HELD_HANDOVER_DEPOSES", only: "never_leaderless", acts: "2", faults: "1"},
	{broken: "DECISION_IN_TWO_WRITES", only: "never_leaderless", acts: "0", faults: "2"},
	{broken: "SIGNED_BEFORE_STORED", only: "never_leaderless", acts: "0", faults: "1"},
	{broken: "FOLLOWS_UNPINNED_LEADS", only: "follows_decisions", acts: "2", faults: "1"},
	{broken: "ONLY_LEADS_ARE_HEARD", only: "converges", acts: "1", faults: "1"},
	{broken: "FORMER_LEADS_ARE_NOT_HEARD", only: "converges", acts: "1", faults: "2"},
	{broken: "WARRANT_BEFORE_CHAIN", only: "converges", acts: "2", faults: "2"},
}

func TestEachRuleIsNeeded(t *testing.T) {
	t.Parallel()
	for _, rule := range brokenRules {
		t.Run(rule.broken, func(t *testing.T) {
			t.Parallel()
			rule.compile = []string{"-O0", "-DSAFETY"} // compiling takes longer than the search
			rule.run = []string{"-w20"}
			if said := rule.states(t); !strings.Contains(said, "assertion violated "+rule.only+" ") {
				t.Errorf("%s holds without the rule:\n%s", rule.only, said)
			}
		})
	}
}

func TestEachSwitchOfTheModelBreaksARuleHere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.pml")
	if err != nil {
		t.Fatal(err)
	}
	var switches []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^#ifn?def (\w+)`).FindAllStringSubmatch(string(text), -1) {
			switches = append(switches, found[1])
		}
	}
	broken := []string{"ACTS", "FAULTS", "ONLY"} // these three break nothing
	for _, rule := range brokenRules {
		broken = append(broken, rule.broken)
	}
	slices.Sort(switches)
	slices.Sort(broken)
	if switches = slices.Compact(switches); !slices.Equal(switches, broken) {
		t.Errorf("the model has the switches\n%q, the test breaks\n%q", switches, broken)
	}
}
