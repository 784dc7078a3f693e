// Package fleet is many members of a crew in one process, so that a test can
// measure what a large crew costs its lead. The lead is a real one, a process of
// its own, and so are the links to it: QUIC over loopback, where each member has
// an address of its own. What is simulated is what a member's links lead to:
// panes that nobody runs, which change as often as a test says.
//
// A fleet is a program: the test's own binary, started again with Command. It
// ends with its stdin, so that none is left behind.
package fleet

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/integration/harness"
	"collie/mesh/trust"
)

// Command is the argument that makes a test's own binary a fleet; its TestMain
// has to call Main.
const Command = "_fleet"

// An order says what a fleet is and does. It is the first line of its stdin.
type order struct {
	Folder  string  `json:"folder"` // with a folder of each member
	Members int     `json:"members"`
	Port    int     `json:"port"`
	Panes   int     `json:"panes"`   // of each member
	Changes float64 `json:"changes"` // panes of the whole fleet that change each second
}

// A Fleet is a crew's members, which run between Start and the end of the test.
type Fleet struct {
	t     testing.TB
	order order
}

// Plan is how large a fleet is.
type Plan struct {
	Members int
	Panes   int     // of each
	Changes float64 // panes of the whole fleet that change each second
	// Dialable is of how many members the lead knows where they listen. The
	// others only dial out, as behind NAT.
	Dialable int
}

// Enrol makes a machine that was never started the lead of a crew whose members
// are this fleet. address is where its link listens.
func Enrol(t testing.TB, lead *harness.Machine, address string, plan Plan) *Fleet {
	t.Helper()
	f := &Fleet{t: t, order: order{
		Folder: t.TempDir(), Members: plan.Members, Port: harness.FreePort(t), Panes: plan.Panes, Changes: plan.Changes,
	}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(lead.State, 0o700))
	own, err := trust.EnsureIdentity(filepath.Join(lead.State, trust.IdentityFileName), rand.Reader, time.Now())
	must(err)
	id, err := statement.NewCrewID(rand.Reader)
	must(err)
	crew, err := trust.Found(nil, trust.Founding{ID: id, Name: "barn", Label: lead.Name, Secret: secret.NewKey(rand.Reader)})
	must(err)
	for i := range plan.Members {
		var member trust.Member
		crew, member, err = admit(crew, own, f.order.of(i), i < plan.Dialable)
		must(err)
		store, err := trust.Open(filepath.Join(f.order.of(i).folder, trust.FileName), time.Now)
		must(err)
		must(store.Update(func(*trust.Crew) (*trust.Crew, error) {
			return trust.Join(nil, trust.Joined{
				ID: crew.ID, Name: crew.Name, Generation: crew.Generation, Secret: crew.Secret, SecretGeneration: crew.SecretGeneration,
				Self: trust.Self{SelfID: member.ID, SelfLabel: member.Label},
				Lead: trust.Lead{ID: crew.SelfID, Label: crew.SelfLabel, Fingerprint: own.Fingerprint(), Certificate: own.Certificate(), Addresses: []string{address}},
			})
		}))
	}
	store, err := trust.Open(filepath.Join(lead.State, trust.FileName), time.Now)
	must(err)
	must(store.Update(func(*trust.Crew) (*trust.Crew, error) { return crew, nil }))
	return f
}

// admit adds one member to a crew and mints its identity.
func admit(crew *trust.Crew, lead *identity.Identity, m place, dialable bool) (*trust.Crew, trust.Member, error) {
	fail := func(err error) (*trust.Crew, trust.Member, error) { return nil, trust.Member{}, err }
	if err := os.Mkdir(m.folder, 0o700); err != nil {
		return fail(err)
	}
	own, err := trust.EnsureIdentity(filepath.Join(m.folder, trust.IdentityFileName), rand.Reader, time.Now())
	if err != nil {
		return fail(err)
	}
	certificate, err := identity.ParseCertificate(own.Certificate())
	if err != nil {
		return fail(err)
	}
	token := secret.NewToken(rand.Reader)
	if crew, _, err = trust.AddInvite(crew, secret.Hash(token), time.Now()); err != nil {
		return fail(err)
	}
	admission := trust.Admission{Token: token, Certificate: certificate, Label: m.label, Own: lead.Fingerprint()}
	if dialable {
		admission.Addresses = []string{m.address}
	}
	crew, member, err := trust.Admit(crew, admission, time.Now())
	if err == nil {
		crew, err = trust.Confirm(crew, certificate.Fingerprint, crew.SecretGeneration)
	}
	return crew, member, err
}

// A place is where a member has its folder and its link.
type place struct{ label, folder, address string }

// of is the place of the i-th member. Every one has an address of its own, as
// the bounds of a lead are for each address.
func (o order) of(i int) place {
	label := fmt.Sprintf("m%03d", i)
	return place{label, filepath.Join(o.Folder, label), fmt.Sprintf("127.1.%d.%d:%d", i/250, 1+i%250, o.Port)}
}

// Start runs the fleet and returns once all of its members listen.
func (f *Fleet) Start() {
	f.t.Helper()
	program, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	line, err := json.Marshal(f.order)
	if err != nil {
		f.t.Fatal(err)
	}
	process := exec.Command(program, Command)
	var said bytes.Buffer
	process.Stderr = &said
	in, err := process.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		f.t.Fatal(err)
	}
	end := sync.OnceValue(func() error {
		_ = in.Close()
		return process.Wait()
	})
	f.t.Cleanup(func() {
		if err := end(); err != nil {
			f.t.Errorf("the fleet: %v\n%s", err, said.String())
		}
	})
	if _, err := in.Write(append(line, '\n')); err != nil {
		f.t.Fatal(err)
	}
	if ready, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		f.t.Fatalf("the fleet said %q: %v %v\n%s", ready, err, end(), said.String())
	}
}
