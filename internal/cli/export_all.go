package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	api "errand/client"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

// A fileOf is a session in the index of an export.
type fileOf struct {
	File    string          `json:"file"`
	Session json.RawMessage `json:"session"`
}

// exportPage is how many sessions are listed at once.
const exportPage = 1000

// fileName is what can be the name of a file.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,99}$`)

// exportAll writes every session that somebody sees into a folder, a file each, and
// an index. A session that goes meanwhile is left out.
func (c *cli) exportAll(ctx context.Context, dir, who string) error {
	person, err := c.personID(ctx, who)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	index, seen := []fileOf{}, map[string]bool{}
	for before := ""; ; {
		list, err := c.API().ListSessions(ctx, &api.ListSessionsParams{Person: person, Limit: exportPage, Before: before})
		if err != nil {
			return err
		}
		rows, err := console.Rows(list.Raw)
		if err != nil {
			return err
		}
		var last time.Time
		known := len(seen)
		for i, s := range list.Value {
			if !fileName.MatchString(string(s.ID)) {
				return console.NotUnderstood()
			}
			last = s.Active
			if seen[string(s.ID)] {
				continue
			}
			seen[string(s.ID)] = true
			raw, err := c.export(ctx, string(s.ID), "json")
			if client.IsNotFound(err) {
				continue
			}
			if err != nil {
				return err
			}
			name := string(s.ID) + ".json"
			if err := os.WriteFile(filepath.Join(dir, name), cleanJSON(raw), 0o600); err != nil {
				return fmt.Errorf("write the export: %w", err)
			}
			index = append(index, fileOf{name, rows[i]})
		}
		if len(rows) < exportPage || last.IsZero() || len(seen) == known {
			break
		}
		// Of two that were active at the same moment one may be on the next page.
		before = last.Add(time.Microsecond).Format(time.RFC3339Nano)
	}
	raw, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "sessions.json"), append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	if c.JSON {
		return c.PrintJSON(raw)
	}
	fmt.Fprintf(c.Out, "%s written to %s, with the index sessions.json.\n", console.Plural(len(index), "session"), line(dir))
	return nil
}
