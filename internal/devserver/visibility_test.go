//go:build !nodevserver

package devserver

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLeanVisibility proves that what no workflow has is in no index; that what one has
// is found by its index, by its words too, whatever becomes of the workflow.
func TestLeanVisibility(t *testing.T) {
	path := filepath.Join(t.TempDir(), databaseName)
	require.NoError(t, openOrCreate(t.Context(), path))
	db, err := openFile(path, "rw")
	require.NoError(t, err)
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	optional, err := optionalColumns(t.Context(), tx)
	require.NoError(t, err)
	parts, err := visibilityParts(t.Context(), tx)
	require.NoError(t, err)
	require.NoError(t, tx.Rollback())
	whole := map[string]bool{}
	for _, p := range parts {
		require.Empty(t, p.lean(optional), p.name)
		if p.kind == "index" && !strings.Contains(p.stmt, " WHERE ") {
			whole[p.name] = true
		}
	}
	require.Equal(t, map[string]bool{
		"default_idx": true, "by_execution_time": true, "by_workflow_id": true, "by_workflow_type": true, "by_status": true,
		"by_task_queue": true, "by_root_workflow_id": true, "by_root_run_id": true, "by_temporal_namespace_division": true,
	}, whole)

	exec := func(query string) {
		t.Helper()
		_, err := db.Exec(query)
		require.NoError(t, err)
	}
	pages := func(index string) (n int) {
		t.Helper()
		require.NoError(t, db.QueryRow(`SELECT COUNT(*) FROM executions_visibility INDEXED BY `+index+` WHERE namespace_id = 'n' AND Keyword07 IS NOT NULL`).Scan(&n))
		return n
	}
	exec(`INSERT INTO executions_visibility (namespace_id, run_id, start_time, execution_time, workflow_id, workflow_type_name, status, encoding)
		VALUES ('n', 'r', '2026-01-01', '2026-01-01', 'w', 'Session', 1, '')`)
	require.Zero(t, pages("by_keyword_07"))
	exec(`UPDATE executions_visibility SET search_attributes = '{"Keyword07":"x","BuildIds":"one♡two"}' WHERE run_id = 'r'`)
	exec(`UPDATE executions_visibility SET status = 2, close_time = '2026-01-02', history_length = 10 WHERE run_id = 'r'`)
	require.Equal(t, 1, pages("by_keyword_07"))
	found := func(word string) (n int) {
		t.Helper()
		require.NoError(t, db.QueryRow(`SELECT COUNT(*) FROM executions_visibility WHERE rowid IN
			(SELECT rowid FROM executions_visibility_fts_keyword_list WHERE executions_visibility_fts_keyword_list MATCH ?)`, `BuildIds: "`+word+`"`).Scan(&n))
		return n
	}
	require.Equal(t, 1, found("two"))
	exec(`UPDATE executions_visibility SET search_attributes = '{"BuildIds":"three"}' WHERE run_id = 'r'`)
	require.Zero(t, found("two"))
	require.Equal(t, 1, found("three"))
	exec(`INSERT INTO executions_visibility_fts_keyword_list (executions_visibility_fts_keyword_list) VALUES ('integrity-check')`)

	for where, index := range map[string]string{
		"Keyword07 = 'x'": "by_keyword_07", "Int02 > 3": "by_int_02", "Datetime01 IN ('a', 'b')": "by_datetime_01",
		"parent_workflow_id = 'p'": "by_parent_workflow_id", "TemporalScheduledById = 's'": "by_temporal_scheduled_by_id",
		"status = 1": "by_status",
	} {
		require.Contains(t, plan(t, db, where), index, where)
	}
	exec(`DELETE FROM executions_visibility`)
	require.Zero(t, found("three"))
}

func plan(t *testing.T, db *sql.DB, where string) string {
	t.Helper()
	rows, err := db.Query(`EXPLAIN QUERY PLAN SELECT workflow_id FROM executions_visibility WHERE namespace_id = 'n' AND ` + where)
	require.NoError(t, err)
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
		steps = append(steps, detail)
	}
	require.NoError(t, rows.Err())
	return strings.Join(steps, "; ")
}
