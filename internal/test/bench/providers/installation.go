package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
)

// patience is how long one thing may take: longer than it does on a busy machine.
const patience = 2 * time.Minute

const roleVariable = "ERRAND_PROVIDERS_ROLE"

const victim = "victim"

func writeConfig(dir string, subjects []*subject) error {
	var agents, models strings.Builder
	var others []string
	for _, s := range subjects[1:] {
		others = append(others, s.agent)
	}
	for i, s := range subjects {
		delegates := ""
		if i == 0 {
			delegates = ", delegates: [" + strings.Join(others, ", ") + "]"
		}
		fmt.Fprintf(&agents, "  %s: {instructions: \"You are %s.\", model: %s, tools: [list_pending_async_agents]%s}\n", s.agent, s.agent, s.agent, delegates)
		fmt.Fprintf(&models, "  %s: {name: m1, base_url: %q, api_key_env: \"\", api: %s, background: %t}\n", s.agent, s.url+"/v1", s.api, s.background)
	}
	first := subjects[0].agent
	models.WriteString(strings.Replace(models.String()[:strings.Index(models.String(), "\n")+1], "  "+first+":", "  default:", 1))
	text := fmt.Sprintf("primary: %s\ncheck_models: false\nagents:\n%smodels:\n%s", first, agents.String(), models.String())
	return os.WriteFile(filepath.Join(dir, "errand.yaml"), []byte(text), 0o600)
}

func start(ctx context.Context, dir string, temporal int, log io.Writer) (*app.App, error) {
	env := map[string]string{"ERRAND_DATA": filepath.Join(dir, "data")}
	cfg, err := config.Load(config.Sources{
		File: filepath.Join(dir, "errand.yaml"), Env: func(name string) string { return env[name] }, Tools: app.ToolNames(),
		Flags: config.Flags{Listen: "127.0.0.1:0"},
	})
	if err != nil {
		return nil, err
	}
	cfg.Limits.PerMinute = config.Rates{}
	cfg.Limits.OpenTasks = 0
	cfg.TemporalPort, cfg.UIPort = temporal, 0
	return app.Start(ctx, app.Options{Config: cfg, Version: "providers", Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
}

func send(ctx context.Context, a *app.App, chat, agent, text string) (core.SessionKey, error) {
	out, err := a.Intake.Accept(ctx, intake.Inbound{
		Route: core.WebRoute(chat), Person: app.Owner, Role: core.MasterAdmin, Text: "/agent " + agent + " " + text})
	if err == nil && (out.Refused != "" || !out.HasMessage) {
		err = fmt.Errorf("errand does not take %q: %s%s", text, out.Refused, out.Answer)
	}
	return out.Key, err
}

// reply waits for the last word of a turn.
func reply(ctx context.Context, a *app.App, key core.SessionKey) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := a.Store.Events(ctx, key, 0, 1000)
		if err != nil {
			return "", err
		}
		for _, e := range list {
			if e.Type == core.EventReply || e.Type == core.EventError {
				return e.Text, nil
			}
		}
		select {
		case <-ctx.Done():
			return "", errors.New("no reply came")
		case <-tick.C:
		}
	}
}
