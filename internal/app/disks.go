package app

import (
	"log/slog"
	"slices"

	"errand"
	"errand/internal/config"
	"errand/internal/folder"
	"errand/internal/tools/files"
)

// disks are the folders on disk that agents have. One that is not there now may be put
// there: its agents are told until then.
func disks(cfg *config.Config, log *slog.Logger) []files.Disk {
	var list []files.Disk
	for _, f := range cfg.Files.Folders {
		d := files.Disk{Name: f.Name, Folder: folder.Folder{Path: f.Path}, Role: f.Role, Write: f.Write}
		if f.Agents != nil {
			d.For = func(name errand.AgentName) bool {
				return slices.ContainsFunc(f.Agents, func(pattern string) bool { return errand.Matches(pattern, string(name)) })
			}
		}
		if err := d.Folder.Check(); err != nil {
			log.Warn("agents cannot read a folder that errand.yaml names", "folder", f.Name, "error", err)
		}
		list = append(list, d)
	}
	return list
}
