package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	api "errand/client"
	"errand/internal/cli/client"
)

// watchAgain is how long to wait before the worker is asked again that has gone away.
const watchAgain = 2 * time.Second

// watchTasks shows a list, and again whenever the worker says that tasks have changed, until
// ctx is done. A terminal is cleared before; elsewhere an empty line stands between.
func (c *cli) watchTasks(ctx context.Context, person string, list func(context.Context) error) error {
	shown := false
	show := func() error {
		switch c.Began = time.Now(); {
		case c.OutTTY && !c.JSON:
			fmt.Fprint(c.Out, "\x1b[H\x1b[2J\x1b[3J")
			fmt.Fprintln(c.Out, c.Style.Dim(c.Sayf("tasks at %s; Ctrl-C ends", c.Began.Format(time.TimeOnly))))
		case shown && !c.JSON:
			fmt.Fprintln(c.Out)
		}
		shown = true
		return list(ctx)
	}
	for {
		err := c.changes(ctx, person, func(lists []string) error {
			if len(lists) > 0 && !slices.Contains(lists, "tasks") {
				return nil
			}
			return show()
		})
		switch {
		case ctx.Err() != nil:
			return nil // the person has seen enough
		case err != nil && (!shown || !client.Retryable(err)):
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchAgain):
		}
	}
}

// changes reads which lists have changed, until each fails, or the stream ends. At first it
// names none: what was before is not told.
func (c *cli) changes(ctx context.Context, person string, each func(lists []string) error) error {
	resp, err := c.Unbounded().WatchChanges(ctx, &api.WatchChangesParams{Person: person})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for e, err := range api.ReadStream(resp.Body) {
		if err != nil {
			return c.BrokeOff(err)
		}
		var changed api.Change
		if err := json.Unmarshal(e.Data, &changed); err != nil {
			return c.Errorf("change not understood (is the worker of another version?): %w", err)
		}
		if err := each(changed.Lists); err != nil {
			return err
		}
	}
	return nil
}
