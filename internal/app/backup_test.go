package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/internal/app"
	"errand/internal/backup"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
)

// TestRestoredOnTheSameTemporal proves that a restored store does not work in the namespace of the
// one that it was copied from, unless it takes that over: then the old runs are ended, and the work
// in the backup goes on in new ones.
func TestRestoredOnTheSameTemporal(t *testing.T) {
	cluster := ownTemporal(t)
	asked, release := make(chan struct{}, 100), make(chan struct{})
	model := llmtest.Func(func(ctx context.Context, _ llm.Request) llmtest.Reply {
		asked <- struct{}{}
		select {
		case <-release:
			return llmtest.Text("good day")
		case <-ctx.Done():
			return llmtest.Fail(ctx.Err())
		}
	})
	in := install(t, model, nil, onSQLite, cluster)
	key := in.send("main", "hello")
	<-asked
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := backup.Write(t.Context(), app.BackupOptions(in.opts.Config, "test"), file, false); err != nil {
		t.Fatal(err)
	}
	before, err := in.Client.DescribeWorkflowExecution(t.Context(), string(key), "")
	if err != nil {
		t.Fatal(err)
	}
	in.stop()

	dir := t.TempDir()
	cfg := testConfig(t, dir)
	onSQLite(cfg)
	cluster(cfg)
	if err := os.RemoveAll(cfg.Data); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := backup.Restore(t.Context(), app.BackupOptions(cfg, "test"), file); err != nil {
		t.Fatal(err)
	}
	refusedStart(t, app.Options{Config: cfg}, "--take-over")
	close(release)
	restored := &installation{t: t, opts: app.Options{Config: cfg, Model: model, Logger: testLogger(t), TakeOver: true}}
	restored.start()
	if got := textsOf(restored.until(key, replies(1))); len(got) != 1 || got[0] != "good day" {
		t.Errorf("the answers are %q", got)
	}
	old, err := restored.Client.DescribeWorkflowExecution(t.Context(), string(key), before.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	if err != nil {
		t.Fatal(err)
	}
	if status := old.GetWorkflowExecutionInfo().GetStatus(); status != enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED {
		t.Errorf("the old run is %s", status)
	}
	restored.stop()
	restored.opts.TakeOver = false
	restored.start()
}
