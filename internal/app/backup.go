package app

import (
	"context"
	"path/filepath"

	"errand/internal/backup"
	"errand/internal/config"
	"errand/internal/store"
)

// database names the store's database.
func database(cfg *config.Config) store.Options {
	if url := cfg.DatabaseURL.Reveal(); url != "" {
		return store.Options{PostgreSQL: url}
	}
	return store.Options{SQLite: filepath.Join(cfg.Data, store.File)}
}

// BackupOptions name the installation of cfg.
func BackupOptions(cfg *config.Config, version string) backup.Options {
	return backup.Options{Store: database(cfg), Data: cfg.Data, Version: version, Owner: Owner, Devices: prepareDevices()}
}

// scheduledBackup returns nil if no backups are configured.
func scheduledBackup(cfg *config.Config, version string) func(context.Context) (string, error) {
	if cfg.Backup.Every == 0 {
		return nil
	}
	return backup.Folder{Options: BackupOptions(cfg, version), Path: cfg.Backup.Folder, Keep: cfg.Backup.Keep}.Write
}
