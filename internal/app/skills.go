package app

import (
	"errand/internal/config"
	"errand/internal/folder"
	"errand/internal/tools"
	"errand/internal/tools/skills"
)

// skillTools are what agents read their skills with; none where there are no skills.
func skillTools(cfg *config.Config, files skills.Workspace) []tools.Tool {
	if len(cfg.Skills.List) == 0 {
		return nil
	}
	return skills.Tools(skills.Options{Folder: folder.Folder{Path: cfg.Skills.Folder}, Of: cfg.Roster.Skills, Workspace: files})
}
