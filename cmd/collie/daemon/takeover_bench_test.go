package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"collie/node/control"
)

// BenchmarkTapToAServingFrontDoor measures what a person waits for on the bad
// day: from the tap on an armed door, which has asked the lead in vain, to the
// first answer of the new lead's front door to the phone. Three nodes in one
// process, over loopback.
func BenchmarkTapToAServingFrontDoor(b *testing.B) {
	var taps []time.Duration
	for b.Loop() {
		b.StopTimer()
		taps = append(taps, tapOnce(b))
		b.StartTimer()
	}
	slices.Sort(taps)
	b.ReportMetric(float64(taps[len(taps)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(taps[len(taps)-1].Microseconds())/1000, "worst-ms")
}

func tapOnce(b *testing.B) time.Duration {
	quick := []string{"COLLIE_BEAT_MS=100", "COLLIE_STANDBY_ARM_MS=600"}
	begin := func(settings ...string) *running { return begin(b, b.TempDir(), append(settings, quick...)...) }
	atlas, juno, iris := begin("COLLIE_LABEL=atlas"), begin("COLLIE_LABEL=juno", "COLLIE_STANDBY_PORT=0", "COLLIE_MESH_LISTEN="+freeAddress(b)), begin("COLLIE_LABEL=iris")
	defer func() {
		for _, n := range []*running{juno, iris} {
			if err := n.stop(); err != nil {
				b.Error(err)
			}
		}
	}()
	for _, n := range []*running{juno, iris} {
		invite := post[control.Invite](b, atlas, "/crew/invite", control.InviteRequest{})
		post[control.Joined](b, n, "/crew/join", control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token})
	}
	code := post[control.PairCode](b, atlas, "/pair", control.PairRequest{})
	var paired struct{ Token string }
	if err := ask(http.MethodPost, code.URL+"/api/pair", "", map[string]string{"code": code.Code, "label": "pixel"}, &paired); err != nil {
		b.Fatal(err)
	}
	eventually(b, "a named deputy", func() bool {
		return atlas.call(b, http.MethodPost, "/crew/deputy", control.DeputyRequest{MemberID: "juno"}, nil) == nil
	})
	eventually(b, "a deputy that has all", func() bool {
		status := get[control.CrewStatus](b, atlas, "/crew/status")
		return status.Deputy != nil && !status.Deputy.Owed && status.Members[2].WarrantGeneration != nil
	})
	if err := atlas.stop(); err != nil {
		b.Fatal(err)
	}
	door := func() string { return string(get[control.Status](b, juno, "/status").Standby.URL) }
	eventually(b, "an armed door that has asked in vain", func() bool {
		var health struct{ SilentForMs int64 }
		return ask(http.MethodGet, door()+"/standby/health", "", nil, &health) == nil && health.SilentForMs > 5500
	})
	url := door() + "/standby/takeover"
	began := time.Now()
	var moved struct{ URL string }
	if err := ask(http.MethodPost, url, paired.Token, struct{}{}, &moved); err != nil {
		b.Fatal(err)
	}
	if err := ask(http.MethodGet, moved.URL+"/api/snapshot", paired.Token, nil, &struct{}{}); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// freeAddress is a UDP address on loopback that nobody uses: witnesses look for
// the deputy where it always is.
func freeAddress(b *testing.B) string {
	b.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	return socket.LocalAddr().String()
}

// ask makes one exchange over HTTP as a page does.
func ask(method, url, token string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Authorization", "Bearer "+token)
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %d %s", url, response.StatusCode, data)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}
