package api

import (
	"net/http"
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// About describes the installation.
type About struct {
	Demo    bool              `json:"demo"`
	Models  []core.ModelState `json:"models"`
	Paused  bool              `json:"paused"`
	Roles   []RoleName        `json:"roles" description:"from the lowest to the highest"`
	Version string            `json:"version"`

	Programs string `json:"programs" description:"the sandbox for agents' programs on this worker and its languages, as text; empty: unknown"`
	WebUI    string `json:"web_ui" description:"address of Temporal's Web UI, for master_admins on this machine"`

	Backup BackupState `json:"backup" description:"for master_admins"`

	Crowded []core.CrowdedAgent `json:"crowded" description:"agents with more tools than a model request accepts; the tools of the last MCP servers are omitted"`
}

// A BackupState is the state of the scheduled backups.
type BackupState struct {
	Scheduled bool      `json:"scheduled"`
	File      string    `json:"file,omitempty" description:"the latest one, a path on the worker that wrote it; omitted: none yet"`
	Made      time.Time `json:"made,omitzero"`
	Problem   string    `json:"problem,omitempty" description:"why there is no newer one"`
}

// A RoleName is a role with its name for people.
type RoleName struct {
	Role core.Role `json:"role"`
	Name string    `json:"name" description:"the role's name in this installation"`
}

var GetAbout = Op[None, About]{
	Name: "getAbout", Needs: rights.InstallationRead, Route: "GET /api/about",
	About: "Get the version, models and state of the installation",
}

type MetricsInput struct {
	Accept string           `wire:"-"` // the header Accept of the request
	Hooks  map[string]int64 `wire:"-"` // calls of platforms that this worker refused, by path
}

// GetMetrics answers with what a monitor reads, in the format of Prometheus. The page GET /metrics
// shows it.
var GetMetrics = Op[MetricsInput, File]{
	Name: "getMetrics", Needs: rights.MetricsRead,
	About: "Get metrics for a monitoring system",
}

// Paused says whether the installation is paused.
type Paused struct {
	Paused bool `json:"paused"`
}

var Pause = Op[None, Paused]{
	Name: "pause", Needs: rights.InstallationPause, Route: "POST /api/pause", Deeds: []core.Deed{core.DeedPause},
	About: "Pause: no model call begins until errand is resumed", Answer: "done",
}

var Resume = Op[None, Paused]{
	Name: "resume", Needs: rights.InstallationPause, Route: "POST /api/resume", Deeds: []core.Deed{core.DeedResume},
	About: "Resume: model calls may begin again", Answer: "done",
}

// A CleanUp is one run of maintenance.
type CleanUp struct {
	ID       string         `json:"id"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished,omitzero" description:"omitted: it is still running, or was lost"`
	Report   map[string]int `json:"report" description:"how many, by what was done"`
	Failed   []string       `json:"failed,omitempty" description:"the error, if something was not finished; the next run continues"`
}

type ListCleanUpsInput struct {
	Limit int `query:"limit" default:"10" maximum:"100" description:"at most so many, 10 by default"`
}

var ListCleanUps = Op[ListCleanUpsInput, []CleanUp]{
	Name: "listCleanUps", Needs: rights.MaintenanceRead, Route: "GET /api/maintenance",
	About: "List what the clean-ups removed, newest first",
}

// A StartedCleanUp is the answer of [StartCleanUp].
type StartedCleanUp struct {
	Started bool `json:"started"`
}

var StartCleanUp = Op[None, StartedCleanUp]{
	Name: "startCleanUp", Needs: rights.MaintenanceRun, Route: "POST /api/maintenance/run", Status: http.StatusAccepted,
	About: "Start a clean-up now, or after the running one", Answer: "started",
}
