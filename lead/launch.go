package lead

import (
	"context"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/files"
	"collie/node/mask"
)

func (m *remote) Launchers(ctx context.Context) (api.Launchers, error) {
	all, err := m.machine.Launchers(ctx)
	if err != nil {
		return api.Launchers{}, on(m.host, err)
	}
	all, _ = mask.Answer(m.mask, all)
	clean := api.Launchers{Rows: []api.LauncherRow{}, Recipes: []api.Recipe{}, Phone: all.Phone, Recent: []api.RecentLine{}}
	for _, row := range all.Rows[:min(len(all.Rows), api.MaxLaunchers)] {
		row.Device, row.Mine = "", false // the lead's to say
		for _, text := range []*string{&row.Name, &row.Harness} {
			m.name(text, api.MaxNameBytes, &row.Masked)
		}
		m.name(&row.Folder, api.MaxPathBytes, &row.Masked)
		m.line(&row.Line, "sent", api.MaxPathBytes, &row.Masked)
		row.Options = m.names(row.Options)
		if validID(row.ID) && row.Name != "" {
			clean.Rows = append(clean.Rows, row)
		}
	}
	for _, recipe := range all.Recipes[:min(len(all.Recipes), maxListed)] {
		var masked bool
		m.name(&recipe.Harness, api.MaxNameBytes, &masked)
		options := []api.RecipeOption{}
		for _, option := range recipe.Options[:min(len(recipe.Options), maxListed)] {
			m.name(&option.Name, api.MaxNameBytes, &masked)
			m.name(&option.Flags, api.MaxNameBytes, &masked)
			options = append(options, option)
		}
		recipe.Options = options
		clean.Recipes = append(clean.Recipes, recipe)
	}
	for _, line := range all.Recent[:min(len(all.Recent), api.MaxRecent)] {
		m.line(&line.Line, "sent", api.MaxPathBytes, &line.Masked)
		clean.Recent = append(clean.Recent, line)
	}
	return clean, nil
}

func (m *remote) names(words []string) []string {
	clean := []string{}
	for _, word := range words[:min(len(words), maxListed)] {
		var masked bool
		m.name(&word, api.MaxNameBytes, &masked)
		clean = append(clean, word)
	}
	return clean
}

func (m *remote) Launch(ctx context.Context, launch api.Launch) (api.Launched, error) {
	what := audit.ID(launch.ID)
	if launch.Row != nil {
		what = audit.Text(launch.Row.Name)
	}
	return m.opens(ctx, "pane.launch", what, func() (api.Launched, error) { return m.machine.Launch(ctx, launch) })
}

// Run hands a one-off line on. Its first word and its length are the member's to
// write down.
func (m *remote) Run(ctx context.Context, run api.Run) (api.Launched, error) {
	return m.opens(ctx, "pane.run", audit.What{}, func() (api.Launched, error) { return m.machine.Run(ctx, run) })
}

// opens hands on what opens a pane, whose id has to be one.
func (m *remote) opens(ctx context.Context, action string, what audit.What, do func() (api.Launched, error)) (launched api.Launched, err error) {
	err = m.pass(ctx, audit.Entry{Action: action, What: what}, func() (err error) {
		launched, err = do()
		launched, _ = mask.Answer(m.mask, launched)
		launched.Reason = files.Plain(launched.Reason)
		if err == nil && !validID(launched.ID) {
			launched, err = api.Launched{}, api.ErrOutcomeUnknown
		}
		return err
	})
	return launched, err
}
