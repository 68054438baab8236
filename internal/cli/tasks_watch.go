package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

const watchAgain = 2 * time.Second

// watchTasks prints the list whenever tasks change. It clears a terminal first.
func (c taskCommands) watchTasks(ctx context.Context, person string, list func(context.Context) error) error {
	shown := false
	show := func() error {
		switch c.Began = time.Now(); {
		case c.OutTTY && !c.JSON:
			fmt.Fprint(c.Out, "\x1b[H\x1b[2J\x1b[3J")
			fmt.Fprintln(c.Out, c.Style.Dim("tasks at "+c.Began.Format(time.TimeOnly)+"; Ctrl-C quits"))
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
			return nil // the person pressed Ctrl-C
		case err != nil && (!shown || !console.Retryable(err)):
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchAgain):
		}
	}
}

// changes calls each with the lists that have changed. The first call has none, because earlier
// changes are unknown.
func (c taskCommands) changes(ctx context.Context, person string, each func(lists []string) error) error {
	resp, err := api.Open(ctx, c.Unbounded(), api.WatchChanges, api.WatchChangesInput{Person: api.Person{Person: core.PersonID(person)}})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for e, err := range api.ReadStream(resp.Body) {
		if err != nil {
			return c.BrokeOff(err)
		}
		var changed api.Changes
		if err := json.Unmarshal(e.Data, &changed); err != nil {
			return fmt.Errorf("read the worker's change (is it another version of errand?): %w", err)
		}
		if err := each(changed.Lists); err != nil {
			return err
		}
	}
	return nil
}
