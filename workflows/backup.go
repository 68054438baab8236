package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/internal/temporal/wire"
)

// Backup writes a backup into the folder of the worker that takes it. After some attempts the next
// run of its schedule tries again.
func Backup(ctx workflow.Context, in wire.BackupInput) error {
	return workflow.ExecuteActivity(forBackup(ctx), acts.Backup, in).Get(ctx, nil)
}
