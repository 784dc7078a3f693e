package api_test

import (
	"context"
	"strings"
	"testing"

	"collie/node/api"
)

func init() {
	reads["launchers"] = func(ctx context.Context, c *api.Client) error { _, err := c.Launchers(ctx); return err }
	clientWrites["launch"] = func(ctx context.Context, c *api.Client) error { _, err := c.Launch(ctx, api.Launch{}); return err }
	clientWrites["run"] = func(ctx context.Context, c *api.Client) error { _, err := c.Run(ctx, api.Run{}); return err }
}

func (m *machine) Launchers(context.Context) (api.Launchers, error) {
	return m.launchers, m.called("launchers")
}

func (m *machine) Launch(_ context.Context, l api.Launch) (api.Launched, error) {
	folder := ""
	if l.Folder != nil {
		folder = *l.Folder
	}
	return api.Launched{ID: "p9", Submitted: true}, m.called("launch %s %q %v %v", l.ID, folder, l.Confirmed, l.Row)
}

func (m *machine) Run(_ context.Context, r api.Run) (api.Launched, error) {
	return api.Launched{ID: "p9"}, m.called("run %s", r.Line)
}

func launchers() api.Launchers {
	return api.Launchers{
		Rows:    []api.LauncherRow{{ID: "abc", Name: "Agent", Harness: "claude", Options: []string{"plan"}, Line: "claude --x", Folder: "~/src", NoConfirmation: true}},
		Recipes: []api.Recipe{{Harness: "claude", Installed: true, Options: []api.RecipeOption{{Name: "plan", Flags: "--x", NoConfirmation: true}}}},
		Phone:   api.PhoneMay{Adds: true, Run: true}, Recent: []api.RecentLine{{Line: "make", Masked: true}},
	}
}

func TestAPhoneNamesALauncherByItsIdAndALeadMaySendARow(t *testing.T) {
	t.Parallel()
	body := `{"row":{"name":"x","harness":"claude"},"confirmed":true}`
	m := &machine{}
	if w := ask(handlers(m, false), "/launch", body); w.Code != 400 || m.asked() != "" {
		t.Errorf("a phone's row is answered %d %s, and the machine was asked for %q", w.Code, w.Body, m.asked())
	}
	if w := ask(handlers(m, true), "/launch", body); w.Code != 200 || !strings.HasPrefix(m.asked(), `launch  "" true &{x claude`) {
		t.Errorf("a lead's row is answered %d %s, and the machine was asked for %q", w.Code, w.Body, m.asked())
	}
}
