package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"errand/activities"
	"errand/api"
	"errand/internal/agents"
	"errand/internal/channels"
	"errand/internal/commands"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/doors/a2aserver"
	"errand/internal/intake"
	"errand/internal/limit"
	"errand/internal/llm"
	"errand/internal/llm/background"
	"errand/internal/llm/scripted"
	"errand/internal/ops"
	"errand/internal/push"
	"errand/internal/sandbox"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/reconcile"
	"errand/internal/temporal/wire"
	"errand/internal/texts"
	"errand/internal/tools"
	"errand/internal/tools/code"
	"errand/internal/tools/files"
	"errand/internal/tools/skills"
	webtools "errand/internal/tools/web"
	"errand/notifiers"
)

// Owner is the person who owns the installation. A client with the owner's key acts as this person.
const Owner core.PersonID = "owner"

func (a *App) toolsOf(s core.Session, person core.Role) []string {
	if a.acts == nil { // not called before everything is built
		return nil
	}
	return a.acts.Prompts.OnOffer(s, person)
}

func (a *App) hasTool(name string) bool {
	if a.acts == nil {
		return false
	}
	return a.acts.Prompts.Knows(name)
}

// maxTools must not be called before everything is built.
func (a *App) maxTools(agent core.AgentName) int { return a.acts.Prompts.MaxTools(agent) }

func (a *App) build(o Options, settings wire.Settings) (*activities.Activities, error) {
	ctx, cfg := context.Background(), o.Config
	if _, err := a.Store.EnsurePerson(ctx, Owner, "Owner", core.MasterAdmin); err != nil {
		return nil, fmt.Errorf("prepare the store: %w", err)
	}
	catalog, err := texts.New(cfg.Texts)
	if err != nil {
		return nil, err
	}
	model, err := a.model(o, catalog)
	if err != nil {
		return nil, err
	}
	a.Dispatch, err = dispatch.New(dispatch.Options{
		Client: a.Client, Namespace: namespace(cfg), Store: a.Store, Settings: settings, Maintenance: maintenanceOf(cfg), KindOf: cfg.Roster.Kind, Logger: a.log,
	})
	if err != nil {
		return nil, err
	}
	limiter := intake.NewLimiter(intake.Rates(cfg.Limits.PerMinute), a.rateRows(), accessOf(cfg), time.Now, a.log)
	env := service.Env{Store: a.Store, Logger: a.log, Rights: cfg.Rights, Texts: catalog, Language: cfg.Language, Zone: cfg.Zone()}
	runner := service.NewRunner(&env, limiter.Count)
	set, err := a.newTools(ctx, o, runner)
	if err != nil {
		return nil, err
	}
	sender, err := push.NewWebhookSender(cfg.Hooks.Allow)
	if err != nil {
		return nil, err
	}
	browsers, err := a.newBrowsers(ctx, cfg)
	if err != nil {
		return nil, err
	}
	remote, looked, err := peers(cfg)
	if err != nil {
		return nil, err
	}
	if a.coding, err = a.newCoding(o); err != nil {
		return nil, err
	}
	var out notifiers.Router
	a.Service, err = service.New(service.Deps{
		Env: env, Runner: runner, Dispatch: a.Dispatch, Roster: cfg.Roster,
		Busy: settings.Busy, MessageBytes: cfg.Limits.MessageBytes, Access: accessOf(cfg), Owner: Owner,
		Sticky: cfg.Sessions.Sticky, StickyFor: cfg.Sessions.StickyFor, BeginWithLast: cfg.Sessions.BeginWith == config.BeginLast, Models: modelNames(cfg), QuestionPace: questionPace(cfg),
		Accounts: accountsOf(cfg), PairCode: a.pairCode, Health: a.health(), Webhooks: sender, Browsers: browsers,
		MCP: mcpView{a.MCP, cfg.Approvals}, Peers: looked, Coding: a.codingChecks(cfg),
		MaxFile:  func(to core.Route) int64 { return out.MaxFile(to, core.MaxFile) },
		Sends:    func(at core.Account) bool { return out.Handles(core.Route{Channel: at.Channel, Account: at.Name}) },
		Commands: a.menu, HandOvers: a.metrics.HandOvers, LateAnswers: a.metrics.LateAnswers, Tools: a.toolsOf, RateRows: a.rateRows(), Points: o.Probe,
		About: a.about(o), Crowded: a.crowded, Metrics: a.metrics, PairPerHour: cfg.Delegation.PairPerHour, Team: service.TeamLimits(cfg.Team), Procedures: cfg.Procedures,
		NewIntake: func(s *service.Service) service.Intake {
			a.Commands = commands.New(commands.Deps{Env: &s.Env, Runner: s.Runner, Internal: s.Internal, Logins: s.Logins,
				Roster: s.Roster, RosterOf: s.RosterOf, TeamMessages: s.Team.TeamMessages(), Count: a.metrics.Commands})
			a.Intake = intake.New(intake.Deps{Env: &s.Env, Runner: s.Runner, Commands: a.Commands, Internal: s.Internal, Sessions: s.Dispatch,
				Roster: s.Roster, Access: s.Access, Accounts: s.Accounts, MessageBytes: s.MessageBytes}, limiter, intake.Options{
				Shared: sharedIn(cfg), Probe: o.Probe,
				AttachmentBytes: int64(cfg.Limits.AttachmentBytes), Downloads: cfg.Limits.Downloads, Transcribes: o.Transcriber != nil || cfg.Transcription != nil, VoiceLength: longestRecording(cfg),
			})
			return a.Intake
		},
	})
	if err != nil {
		return nil, err
	}
	if err := runner.Missing(api.All()); err != nil {
		return nil, err
	}
	a.a2a = a2aserver.New(a2aserver.Options{ActorOf: a.Service.Logins.ActorOf, Runner: runner, Logger: a.log, Version: o.Version})
	a.Reconciler = &reconcile.Reconciler{Store: a.Store, Dispatch: a.Dispatch, Service: a.Service.Internal, Logger: a.log, Worker: a.owner}
	if key := cfg.Sessions.TitleModel; key != "" {
		a.titles = &background.ChatNamer{Store: a.Store, Model: model, Key: key, Logger: a.log}
	}
	transcriber, err := a.transcriber(o, model)
	if err != nil {
		return nil, err
	}
	a.connections = connections{store: a.Store, owner: a.owner, runners: map[core.Account]*channels.LeaseRunner{}, attendances: map[core.Account]*channels.Attendance{}}
	if err := a.checkBotIDs(ctx, cfg); err != nil {
		return nil, err
	}
	if err := a.platforms(cfg, &out); err != nil {
		return nil, err
	}
	if o.Notifiers != nil {
		o.Notifiers(&out)
	}
	if a.presence, err = a.newPresence(cfg, &out); err != nil {
		return nil, err
	}
	return activities.New(activities.Deps{
		Store: a.Store, Model: model, Roster: cfg.Roster, Tools: set, Peers: remote, Coding: a.coding, Sessions: a.Dispatch, Histories: a.Dispatch, Notifiers: &out, Webhooks: sender, Browsers: browsers, Pushes: a.a2a, Connections: &a.connections, Settle: a.presence.Settle, Accounts: accountsOf(cfg), Admits: a.Intake.Admits, Metrics: *a.metrics,
		Transcriber: transcriber, Logger: a.log, Window: cfg.Sessions.Window, MaxDepth: cfg.Delegation.MaxDepth, Turns: cfg.Slots.Turns, Policy: maintenanceOf(cfg).Policy, Settings: settings, Probe: o.Probe,
		Rights: a.Service.Rights, Texts: catalog, Language: cfg.Language, Zone: cfg.Zone(), Sticky: cfg.Sessions.Sticky, StickyFor: cfg.Sessions.StickyFor,
		QuestionPace: questionPace(cfg), TrustPromises: !cfg.Sessions.Promises, Pairs: a.Service.Internal, Procedures: cfg.Procedures, Approvals: cfg.Approvals,
		BeginWithLast: cfg.Sessions.BeginWith == config.BeginLast, Pictures: sandbox.PictureShrinker{Program: o.Program},
	})
}

// newTools returns the tools of agents, with those of MCP servers that are known.
func (a *App) newTools(ctx context.Context, o Options, runner *ops.Runner) (*tools.Set, error) {
	cfg := o.Config
	var err error
	if a.webTools, err = webOptions(o); err != nil {
		return nil, err
	}
	a.code = code.Find(ctx, code.Options(cfg.Code), code.Host{Program: o.Program, Cache: filepath.Join(cfg.Data, "cache", "quickjs")})
	a.log.Info("programs", "run_by", a.code.String(), "instead_of", a.code.Why)
	a.skills = skillTools(cfg, a.Store)
	set, err := Tools(a, runner, cfg.Procedures)
	if err != nil {
		return nil, err
	}
	if o.Tools != nil {
		if err := o.Tools(set); err != nil {
			return nil, err
		}
	}
	if err := tools.Approvals(cfg.Approvals).Check(set); err != nil {
		return nil, err
	}
	return set, a.newMCP(ctx, o, set)
}

// transcriber is nil if errand does not transcribe.
func (a *App) transcriber(o Options, model activities.Model) (activities.Transcriber, error) {
	hearing, hears := model.(activities.Transcriber)
	switch {
	case o.Transcriber != nil || o.Config.Transcription == nil:
		return o.Transcriber, nil
	case hears:
		return hearing, nil
	case o.Config.Demo && o.Model == nil:
		return llm.New(llm.Config{Transcription: transcriptionModel(o.Config), Logger: a.log, OnCall: observeCall(a.metrics)})
	}
	return nil, nil
}

func (a *App) rateRows() limit.Rows {
	if !a.Store.Shared() {
		return nil
	}
	return a.Store
}

func maintenanceOf(cfg *config.Config) dispatch.Maintenance {
	keep := cfg.Retention
	return dispatch.Maintenance{
		Disabled: !cfg.Maintenance.Enabled, Hour: cfg.Maintenance.At.Hour, Minute: cfg.Maintenance.At.Minute, Zone: cfg.ZoneName(),
		Policy: store.Policy{
			EndAfter: time.Duration(cfg.Sessions.EndAfter), Transcripts: time.Duration(keep.Transcripts), Deliveries: time.Duration(keep.Deliveries),
			UsageDetail: time.Duration(keep.UsageDetail), Memory: time.Duration(keep.Memory), Audit: time.Duration(keep.Audit),
		},
	}
}

func questionPace(cfg *config.Config) store.QuestionPace {
	pace := store.QuestionPace{ExpireAfter: time.Duration(cfg.Questions.ExpireAfter)}
	for _, after := range cfg.Questions.RemindAfter {
		pace.RemindAfter = append(pace.RemindAfter, time.Duration(after))
	}
	return pace
}

func accessOf(cfg *config.Config) map[string]service.Access {
	access := make(map[string]service.Access, len(cfg.Access))
	for channel, a := range cfg.Access {
		access[channel] = service.Access{Mode: service.AccessMode(a.Mode), Allow: a.Allow, Role: a.Role}
	}
	return access
}

func sharedIn(cfg *config.Config) func(core.Route) bool {
	of := map[core.Account]config.GroupMode{}
	for _, c := range cfg.Channels {
		of[c.At()] = c.Groups
	}
	return func(r core.Route) bool {
		mode, named := cfg.Sessions.GroupChats[r.Channel+"/"+r.Account+"/"+r.Chat]
		if !named {
			mode = cmp.Or(of[r.At()], cfg.Sessions.Groups)
		}
		return mode == config.SharedSessions
	}
}

func modelNames(cfg *config.Config) map[string]string {
	if cfg.Demo {
		return map[string]string{agents.DefaultModel: "demo"}
	}
	names := make(map[string]string, len(cfg.Models))
	for key, m := range cfg.Models {
		if len(m.Providers) > 0 {
			names[key] = m.Providers[0].Name
		}
	}
	return names
}

// Tools returns the built-in tools.
func Tools(a *App, r *ops.Runner, procedures []core.Procedure) (*tools.Set, error) {
	var list []tools.Tool
	list = append(list, tools.Delegating(procedures...)...)
	list = append(list, tools.HandOver(), tools.Verdict(), tools.Ask(), tools.Answer(r))
	list = append(list, tools.Tasks(a.Store, r)...)
	list = append(list, tools.Memory(a.Store)...)
	list = append(list, tools.Remind(r)...)
	list = append(list, tools.Artifacts(a.Store)...)
	list = append(list, tools.Plan(a.Store))
	list = append(list, a.skills...)
	list = append(list, files.Tools(a.Store)...)
	list = append(list, webtools.Tools(a.webTools)...)
	list = append(list, files.Send(r, a.Store))
	list = append(list, code.Tools(a.Store, a.code)...)
	return tools.NewSet(list...)
}

func (a *App) model(o Options, catalog *texts.Catalog) (activities.Model, error) {
	cfg := o.Config
	if o.Model != nil {
		return o.Model, nil
	}
	if cfg.Demo {
		return scripted.NewDemo(scripted.DemoOptions{OnCall: observeCall(a.metrics)}), nil
	}
	list, err := models(cfg)
	if err != nil {
		return nil, err
	}
	client, err := llm.New(llm.Config{Models: list, Transcription: transcriptionModel(cfg), Logger: a.log, OnCall: observeCall(a.metrics), Pause: a.pauseProvider})
	if err != nil {
		return nil, err
	}
	calibrate(client, a.Store, a.log)
	a.llm = client
	a.models = background.NewModelChecker(background.CheckerConfig{Models: list, Client: client, Store: a.Store, Texts: catalog, Language: cfg.Language, Owner: Owner, Logger: a.log})
	return a.models.Watch(), nil
}

// calibrate only logs an error, because without stored counts the estimates start anew.
func calibrate(client *llm.Client, s *store.Store, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	counted, err := s.LastCounted(ctx)
	if err != nil {
		log.Warn("the last counts of tokens are not read; estimates begin anew", "error", err)
		return
	}
	client.Calibrate(counted)
}

func observeCall(m *telemetry.Metrics) func(llm.Call) {
	return func(c llm.Call) {
		m.ModelCalls.Observe(c.Took, c.Model, c.Provider, c.Outcome)
		u := c.Usage
		for kind, n := range map[string]int{"input": u.InputTokens - u.CachedTokens - u.WrittenTokens, "cached": u.CachedTokens, "written": u.WrittenTokens, "output": u.OutputTokens} {
			m.Tokens.AddMany(n, c.Model, c.Provider, kind)
		}
	}
}

func (a *App) health() service.ModelHealth {
	if a.models == nil {
		return nil
	}
	return a.models
}

func models(cfg *config.Config) (map[string]llm.Model, error) {
	list := make(map[string]llm.Model, len(cfg.Models))
	for key, m := range cfg.Models {
		model := llm.Model{MaxOutput: m.MaxOutput, ContextTokens: m.ContextTokens, Price: llm.Price(m.Price)}
		for _, p := range m.Providers {
			model.Providers = append(model.Providers, llm.Provider{
				BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), APIKeyEnv: p.APIKeyEnv, Model: p.Name,
				API: llm.API(p.API), Background: p.Background, Vision: p.Vision,
				Concurrency: p.Concurrency, MaxTools: p.MaxTools, FirstToken: p.FirstToken, Idle: p.Idle, Accepts: p.Accepts,
			})
		}
		list[key] = model
	}
	if len(list) == 0 {
		return nil, errors.New("no models are configured")
	}
	return list, nil
}

func transcriptionModel(cfg *config.Config) *llm.TranscriptionModel {
	v := cfg.Transcription
	if v == nil {
		return nil
	}
	return &llm.TranscriptionModel{Language: v.Language, Cost: llm.TranscriptionPrice(v.Price), Provider: llm.Provider{
		BaseURL: v.BaseURL, APIKey: v.APIKey.Reveal(), APIKeyEnv: v.APIKeyEnv, Model: v.Name,
	}}
}

func longestRecording(cfg *config.Config) time.Duration {
	if cfg.Transcription == nil {
		return 0
	}
	return cfg.Transcription.MaxLength
}

func settingsOf(cfg *config.Config) wire.Settings {
	return wire.Settings{
		Titles: cfg.Temporal.Titles, Busy: wire.BusyMode(cfg.Sessions.Busy),
		SuspendAfter: cfg.Sessions.SuspendAfter, Patience: cfg.Sessions.Patience,
		FoldWindow: cfg.Sessions.FoldWindow, FoldTimeout: cfg.Sessions.FoldTimeout,
		MaxSteps: cfg.Sessions.MaxSteps,
	}.WithDefaults()
}

// ToolNames returns the names of the built-in tools, to check the roster.
func ToolNames() []string {
	set, err := Tools(&App{webTools: webtools.Options{Engine: webtools.DuckDuckGo{}}}, nil, nil)
	if err != nil {
		return nil
	}
	// These tools depend on the machine and on the skills, which are not known yet.
	return append(set.Names(), code.Name, agents.ReadSkill, skills.CopySkill)
}
