package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
)

// A fileOf is a session in the index of an export.
type fileOf struct {
	File    string          `json:"file"`
	Session json.RawMessage `json:"session"`
}

// exportPage is how many sessions are listed at once.
const exportPage = 1000

var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,99}$`)

// exportAll writes every session that somebody sees into a folder, a file each, and
// an index. A session that goes meanwhile is left out.
func (c *cli) exportAll(ctx context.Context, dir, who string) error {
	person, err := c.personID(ctx, who)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return c.Errorf("make the folder: %w", err)
	}
	index := []fileOf{}
	err = c.eachSession(ctx, person, func(s api.Session, row json.RawMessage) error {
		if !fileName.MatchString(string(s.ID)) {
			return c.NotUnderstood()
		}
		raw, err := c.export(ctx, string(s.ID), "json")
		if client.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		name := string(s.ID) + ".json"
		if err := os.WriteFile(filepath.Join(dir, name), cleanJSON(raw), 0o600); err != nil {
			return c.Errorf("write the export: %w", err)
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
		return c.Errorf("write the index: %w", err)
	}
	if c.JSON {
		return c.PrintJSON(raw)
	}
	c.Printlnf("%s written to %s, with the index sessions.json.", c.Plural(len(index), "1 session", "%d sessions"), line(dir))
	return nil
}

// eachSession passes on the sessions of somebody, page by page, each once and with its row
// as it came.
func (c *cli) eachSession(ctx context.Context, person string, do func(api.Session, json.RawMessage) error) error {
	seen := map[errand.SessionID]bool{}
	for before := ""; ; {
		page, err := c.API().ListSessions(ctx, &api.ListSessionsParams{Person: person, Limit: exportPage, Before: before})
		if err != nil {
			return err
		}
		rows, err := c.Rows(page.Raw)
		if err != nil {
			return err
		}
		var last time.Time
		known := len(seen)
		for i, s := range page.Value {
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
		// Of two that were active at the same moment one may be on the next page.
		before = last.Add(time.Microsecond).Format(time.RFC3339Nano)
	}
}
