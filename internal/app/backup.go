package app

import (
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
	return backup.Options{Store: database(cfg), Data: cfg.Data, Version: version, Devices: prepareDevices()}
}
