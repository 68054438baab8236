package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"errand/api"
	"errand/internal/app"
	"errand/internal/backup"
	"errand/internal/config"
	"errand/internal/llm"
	"errand/internal/ops"
	"errand/internal/temporal/wire"
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

func backsUp(folder string) func(*config.Config) {
	return func(c *config.Config) { c.Backup = config.Backup{Every: 24 * time.Hour, Keep: 2, Folder: folder} }
}

// backUp starts the scheduled backup now, and waits until what the store notes of it is so.
func (in *installation) backUp(what string, so func(api.BackupState) bool) {
	in.t.Helper()
	eventually(in.t, "the schedule", func() bool {
		return in.Client.ScheduleClient().GetHandle(in.t.Context(), wire.BackupID).Trigger(in.t.Context(), client.ScheduleTriggerOptions{
			Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, // the last run may be about to end
		}) == nil
	})
	eventually(in.t, what, func() bool {
		about, err := ops.Do(in.t.Context(), in.Service.Runner, api.GetAbout, owner, api.None{})
		return err == nil && about.Backup.Scheduled && so(about.Backup)
	})
}

func recordBackup(in *installation, _ *stage, _ string) map[string]string {
	in.backUp("a backup", func(b api.BackupState) bool { return b.File != "" })
	list, err := in.Client.ListWorkflow(in.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowType = 'Backup'"})
	if err != nil || len(list.GetExecutions()) == 0 {
		in.t.Fatal("no run is listed", err)
	}
	return map[string]string{"backup": list.GetExecutions()[0].GetExecution().GetWorkflowId()}
}

// TestScheduledBackups proves that Temporal's schedule writes backups of which the latest stay, and
// that people with the right see why one failed.
func TestScheduledBackups(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "backups")
	in := install(t, script(nil), nil, backsUp(folder))
	var made []string
	for range 3 {
		in.backUp("another backup", func(b api.BackupState) bool {
			if b.File == "" || slices.Contains(made, b.File) || b.Problem != "" {
				return false
			}
			made = append(made, b.File)
			return true
		})
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || !slices.Equal(files, made[1:]) {
		t.Fatalf("the folder has %q, %v; %q were made", files, err, made)
	}
	for _, file := range files {
		if _, err := backup.Verify(app.BackupOptions(in.opts.Config, "test"), file); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	in.backUp("the failure", func(b api.BackupState) bool {
		return b.File == made[2] && strings.Contains(b.Problem, "not a directory")
	})
}
