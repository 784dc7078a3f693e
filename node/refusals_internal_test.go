package node

import (
	"fmt"
	"testing"

	"collie/node/api"
	"collie/node/pane"
)

func TestWhatTheMultiplexerRefusesIsSaidOnce(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("pane %%1: %w: the pane's input is off", pane.ErrRefused)
	if got := *api.AsError(paneError(err)); got.Code != "multiplexer_refused" || got.Detail != "the pane's input is off" {
		t.Errorf("it is %+v", got)
	}
	if got := *api.AsError(paneError(pane.ErrRefused)); got.Detail != nil {
		t.Errorf("without a reason it is %+v", got)
	}
}
