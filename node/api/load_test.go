package api_test

import (
	"context"

	"collie/node/api"
	"collie/node/load"
)

func init() {
	reads["load"] = func(ctx context.Context, c *api.Client) error { _, err := c.Load(ctx); return err }
}

func (m *machine) Load(context.Context) (load.Reading, error) { return reading(), m.called("load") }

func reading() load.Reading {
	return load.Reading{UptimeMs: 5, BusyTicks: 1, TotalTicks: 2, Cores: 2, MemoryUsedBytes: 3, MemoryTotalBytes: 1 << 40, Load1: 0.5, ReceivedBytes: 1 << 50, SentBytes: 4}
}
