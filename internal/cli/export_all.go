package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type fileOf struct {
	File    string          `json:"file"`
	Session json.RawMessage `json:"session"`
}

const exportPage = 1000

var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,99}$`)

// exportAll writes a file for each session, and an index. It skips sessions that are deleted
// meanwhile.
func (c sessionCommands) exportAll(ctx context.Context, dir, who string) error {
	person, err := c.personID(ctx, who)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	index := []fileOf{}
	err = c.eachSession(ctx, person, func(s core.Session, row json.RawMessage) error {
		if !fileName.MatchString(string(s.ID)) {
			return console.ErrNotUnderstood
		}
		raw, err := c.export(ctx, string(s.ID), "json")
		if console.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		name := string(s.ID) + ".json"
		if err := os.WriteFile(filepath.Join(dir, name), cleanJSON(raw), 0o600); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
		index = append(index, fileOf{name, row})
		return nil
	})
	if err != nil {
		return err
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
	fmt.Fprintf(c.Out, "%s written to %s, with the index sessions.json.\n", console.Plural(len(index), "1 session", "%d sessions"), line(dir))
	return nil
}

// eachSession passes each session once, with its JSON.
func (c sessionCommands) eachSession(ctx context.Context, person string, do func(core.Session, json.RawMessage) error) error {
	seen := map[core.SessionID]bool{}
	for before := (api.DateOrTime{}); ; {
		page, err := api.Call(ctx, c.API(), api.ListSessions,
			api.ListSessionsInput{Person: api.Person{Person: core.PersonID(person)}, Limit: exportPage, Before: before})
		if err != nil {
			return err
		}
		rows, err := console.Rows(page.Raw)
		if err != nil {
			return err
		}
		var last time.Time
		known := len(seen)
		for i, s := range page.Value.Items {
			last = s.Active
			if seen[s.ID] {
				continue
			}
			seen[s.ID] = true
			if err := do(s, rows[i]); err != nil {
				return err
			}
		}
		if len(rows) < exportPage || last.IsZero() || len(seen) == known {
			return nil
		}
		// Two sessions can have the same time, one of them on the next page.
		before.Time = last.Add(time.Microsecond)
	}
}
