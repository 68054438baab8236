package app

import (
	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/tools"
	"errand/internal/tools/skills"
)

func skillTools(cfg *config.Config, files skills.Workspace) []tools.Tool {
	if len(cfg.Skills.List) == 0 {
		return nil
	}
	return skills.Tools(skills.Options{Folder: agents.SkillFolder{Path: cfg.Skills.Folder}, Of: cfg.Roster.Skills, Workspace: files})
}
