package integration_test

import (
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

// viaOf is how the lead reaches a member.
func viaOf(lead *harness.Machine, member string) string {
	for _, m := range harness.JSON[control.CrewStatus](lead, "crew", "status").Members {
		if m.MemberID == member {
			return string(m.Via)
		}
	}
	return ""
}

func TestWhereUDPIsBlockedTheLinkGoesOverTCPAndBackOnceItPasses(t *testing.T) {
	t.Parallel()
	blocked := harness.Weather{NoUDP: true}
	c := startRelayed(t, 1, blocked) // it joins over TCP as well
	phone := c.lead.Pair("pixel")
	herd := phone.Herd()
	near := typeOn(t, phone, c.near)
	herd.Until(t, "juno is reachable", func() bool { return herd.Shown("juno") == "reachable" })
	before := near.usual(t)
	if via := viaOf(c.lead, "juno"); via != "tcp" {
		t.Errorf("without UDP the link goes via %q", via)
	}

	began := time.Now()
	c.relay.Set(harness.Weather{})
	harness.Eventually(t, "the link goes via QUIC", func() bool { return viaOf(c.lead, "juno") == "quic" })
	t.Logf("it went via QUIC %v after UDP passed again", time.Since(began).Round(time.Millisecond))
	if shown := herd.Since(began, "juno"); len(shown) > 0 {
		t.Errorf("meanwhile juno was shown as %v", shown)
	}

	began = time.Now()
	c.relay.Set(blocked)
	during := near.during(t, 1, func() bool { return herd.Shown("juno") == away })
	if took := time.Since(began); took > twoBeats {
		t.Errorf("the phone was told after %v", took)
	}
	during = append(during, near.during(t, 1, func() bool { return herd.Shown("juno") == "reachable" })...)
	t.Logf("it was back %v after UDP was blocked", time.Since(began).Round(time.Millisecond))
	undelayed(t, before, during)
	if via := viaOf(c.lead, "juno"); via != "tcp" {
		t.Errorf("the link is back via %q", via)
	}
	to := address(t, c.near, "juno", openAgent(t, c.far))
	if sent := harness.JSON[control.WalkyReceipt](c.near, "walky", "send", to, "over TCP"); sent.State != "delivered" {
		t.Errorf("the message is %s (%s), want delivered", sent.State, sent.Reason)
	}
	typeOn(t, phone, c.far).press(t)
	if shown := herd.Since(began, "iris"); len(shown) > 0 {
		t.Errorf("iris was shown as %v", shown)
	}
}
