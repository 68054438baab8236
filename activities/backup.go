package activities

import (
	"context"
	"errors"

	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Backup writes a backup. The store keeps how it ended, so that people see a failure.
func (a *Maintenance) Backup(ctx context.Context, in wire.BackupInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	file, err := "", errors.New("this worker has no folder for backups: set backup in its errand.yaml, too")
	if a.backup != nil {
		file, err = a.backup(ctx)
	}
	if err != nil {
		a.logger.Warn("backup failed; errand will try again", "error", err)
	} else {
		a.logger.Info("backup written", "file", file)
	}
	return failed(errors.Join(err, store.NoteBackup(context.WithoutCancel(ctx), a.store, file, err)))
}
