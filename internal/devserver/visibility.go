//go:build !nodevserver

package devserver

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The server's list of workflows has an index for each search attribute that anybody
// may ever define, 58 in all, and each has a row for each workflow, empty or not: a
// workflow that starts, and one that ends, changes pages of all. Here an index has rows
// only of workflows that have its attribute. A search for a value finds the same workflows.

var (
	visibilityIndex = regexp.MustCompile(`(?s)^CREATE INDEX \w+\s+ON executions_visibility \(namespace_id,\s*(\w+),.*\)$`)
	trigger         = regexp.MustCompile(`(?s)^(CREATE TRIGGER executions_visibility_au AFTER UPDATE ON executions_visibility\s)(BEGIN\s.*END)$`)
	oldColumn       = regexp.MustCompile(`\bOLD\.(\w+)`)
)

// keptWhole are columns whose index also finds those that have none: every list leaves
// out what belongs to a division.
var keptWhole = []string{"TemporalNamespaceDivision"}

// leanVisibility has the indexes of the list of workflows leave out what is empty, and
// its index of words alone where no word changes.
func leanVisibility(ctx context.Context, tx *sql.Tx) error {
	optional, err := optionalColumns(ctx, tx)
	if err != nil {
		return err
	}
	parts, err := visibilityParts(ctx, tx)
	if err != nil {
		return err
	}
	for _, p := range parts {
		lean := p.lean(optional)
		if lean == "" {
			continue
		}
		for _, stmt := range []string{"DROP " + p.kind + " " + p.name, lean} {
			if _, err := tx.ExecContext(ctx, stmt); err != nil {
				return fmt.Errorf("make %s of Temporal's list of workflows smaller: %w", p.name, err)
			}
		}
	}
	return nil
}

// A visibilityPart is an index or a trigger of the list, with the statement that made it.
type visibilityPart struct{ kind, name, stmt string }

// lean returns the statement that makes the part as small as it can be; empty if it is.
func (p visibilityPart) lean(optional map[string]bool) string {
	if m := visibilityIndex.FindStringSubmatch(p.stmt); m != nil && optional[m[1]] && !slices.Contains(keptWhole, m[1]) {
		return p.stmt + " WHERE " + m[1] + " IS NOT NULL"
	}
	m := trigger.FindStringSubmatch(p.stmt)
	if m == nil {
		return ""
	}
	var changes []string
	for _, column := range oldColumn.FindAllStringSubmatch(m[2], -1) {
		if c := "NEW." + column[1] + " IS NOT OLD." + column[1]; column[1] != "rowid" && !slices.Contains(changes, c) {
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return ""
	}
	return m[1] + "WHEN " + strings.Join(changes, " OR ") + "\n" + m[2]
}

// optionalColumns are those of the list that may be empty.
func optionalColumns(ctx context.Context, tx *sql.Tx) (map[string]bool, error) {
	optional := map[string]bool{}
	err := eachRow(ctx, tx, `SELECT name, '', '' FROM pragma_table_xinfo('executions_visibility') WHERE NOT "notnull" AND pk = 0`, func(name, _, _ string) {
		optional[name] = true
	})
	return optional, err
}

// eachRow calls f with the three columns of each row.
func eachRow(ctx context.Context, tx *sql.Tx, query string, f func(a, b, c string)) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a, b, c string
		if err := rows.Scan(&a, &b, &c); err != nil {
			return err
		}
		f(a, b, c)
	}
	return rows.Err()
}

func visibilityParts(ctx context.Context, tx *sql.Tx) (parts []visibilityPart, err error) {
	err = eachRow(ctx, tx, `SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'executions_visibility' AND type IN ('index', 'trigger') AND sql <> ''`,
		func(kind, name, stmt string) { parts = append(parts, visibilityPart{kind, name, stmt}) })
	return parts, err
}
