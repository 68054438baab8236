package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
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

// A builder connects the parts of an App. Its steps need what the steps before them made.
type builder struct {
	*App
	o        Options
	cfg      *config.Config
	settings wire.Settings
	env      *service.Env
	limiter  *intake.Limiter
	runner   *ops.Runner
	model    activities.Model
	tools    *tools.Set
	webhooks *push.WebhookSender
	browsers *push.BrowserSender
	peers    map[core.AgentName]activities.Peer
	out      notifiers.Router
}

func (a *App) build(o Options, settings wire.Settings) (*activities.Activities, error) {
	b := &builder{App: a, o: o, cfg: o.Config, settings: settings}
	for _, step := range []func() error{b.prepare, b.buildTools, b.buildService, b.buildChannels} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.activities()
}

// prepare makes what operations, tools and activities work with.
func (b *builder) prepare() error {
	if _, err := b.Store.EnsurePerson(context.Background(), Owner, "Owner", core.MasterAdmin); err != nil {
		return fmt.Errorf("prepare the store: %w", err)
	}
	catalog, err := texts.New(b.cfg.Texts)
	if err != nil {
		return err
	}
	if b.model, err = b.newModel(b.o, catalog); err != nil {
		return err
	}
	b.env = &service.Env{Store: b.Store, Logger: b.log, Rights: b.cfg.Rights, Texts: catalog, Language: b.cfg.Language, Zone: b.cfg.Zone()}
	b.limiter = intake.NewLimiter(intake.Rates(b.cfg.Limits.PerMinute), b.rateRows(), accessOf(b.cfg), time.Now, b.log)
	b.runner = service.NewRunner(b.env, b.limiter.Count)
	b.Dispatch, err = dispatch.New(dispatch.Options{
		Client: b.Client, Namespace: namespace(b.cfg), Store: b.Store, Settings: b.settings, Maintenance: maintenanceOf(b.cfg), BackUpEvery: b.cfg.Backup.Every,
		KindOf: b.cfg.Roster.Kind, Logger: b.log,
	})
	return err
}

// buildTools makes the ways to tools, programs of others, and browsers.
func (b *builder) buildTools() (err error) {
	ctx := context.Background()
	if b.tools, err = b.newTools(ctx, b.o, b.runner); err != nil {
		return err
	}
	if b.webhooks, err = push.NewWebhookSender(b.cfg.Hooks.Allow); err != nil {
		return err
	}
	if b.browsers, err = b.newBrowsers(ctx, b.cfg); err != nil {
		return err
	}
	b.coding, err = b.newCoding(b.o)
	return err
}

// buildService makes the service with the commands and the intake, and what calls the service.
func (b *builder) buildService() error {
	cfg := b.cfg
	remote, looked, err := peers(cfg)
	if err != nil {
		return err
	}
	b.peers = remote
	b.Service, err = service.New(service.Deps{
		Env: b.env, Runner: b.runner, Dispatch: b.Dispatch, Roster: cfg.Roster, NewIntake: b.newIntake,
		Busy: b.settings.Busy, MessageBytes: cfg.Limits.MessageBytes, Access: accessOf(cfg), Owner: Owner,
		Sticky: cfg.Sessions.Sticky, StickyFor: cfg.Sessions.StickyFor, BeginWithLast: cfg.Sessions.BeginWith == config.BeginLast,
		Models: modelNames(cfg), QuestionPace: questionPace(cfg), Health: b.health(), Tools: b.toolsOf, Commands: b.menu,
		Accounts: accountsOf(cfg), PairCode: b.pairCode, Webhooks: b.webhooks, Browsers: b.browsers,
		MCP: mcpView{b.MCP, cfg.Approvals, b.tools, cfg.Roster, time.Now()}, Peers: looked, Coding: b.codingChecks(cfg),
		MaxFile:   func(to core.Route) int64 { return b.out.MaxFile(to, core.MaxFile) },
		Sends:     func(at core.Account) bool { return b.out.Handles(core.Route{Channel: at.Channel, Account: at.Name}) },
		HandOvers: b.metrics.HandOvers, LateAnswers: b.metrics.LateAnswers, Metrics: b.metrics, RateRows: b.rateRows(), Points: b.o.Probe,
		About: b.about(b.o), Crowded: b.crowded, BackUpEvery: b.cfg.Backup.Every,
		PairPerHour: cfg.Delegation.PairPerHour, Team: service.TeamLimits(cfg.Team), Procedures: cfg.Procedures,
	})
	if err != nil {
		return err
	}
	if err := b.runner.Missing(api.All()); err != nil {
		return err
	}
	b.a2a = a2aserver.New(a2aserver.Options{ActorOf: b.Service.Logins.ActorOf, Runner: b.runner, Logger: b.log, Version: b.o.Version})
	b.Reconciler = &reconcile.Reconciler{
		Store: b.Store, Dispatch: b.Dispatch, Service: b.Service.Internal, Logger: b.log,
		Worker: b.owner, WorkerTTL: workTTL, Attempts: b.attempts,
	}
	if key := cfg.Sessions.TitleModel; key != "" {
		b.titles = &background.ChatNamer{Store: b.Store, Model: b.model, Key: key, Logger: b.log}
	}
	return nil
}

func (b *builder) newIntake(s *service.Service) service.Intake {
	b.Commands = commands.New(commands.DepsOf(s, b.metrics.Commands))
	b.Intake = intake.New(intake.DepsOf(s, b.Commands), b.limiter, intake.Options{
		Shared: sharedIn(b.cfg), Probe: b.o.Probe,
		AttachmentBytes: int64(b.cfg.Limits.AttachmentBytes), Downloads: b.cfg.Limits.Downloads,
		Transcribes: b.o.Transcriber != nil || b.cfg.Transcription != nil, VoiceLength: longestRecording(b.cfg),
	})
	return b.Intake
}

// buildChannels makes the ways to chat platforms.
func (b *builder) buildChannels() (err error) {
	b.connections = connections{store: b.Store, owner: b.owner, runners: map[core.Account]*channels.LeaseRunner{}, attendances: map[core.Account]*channels.Attendance{}}
	if err := b.checkBotIDs(context.Background(), b.cfg); err != nil {
		return err
	}
	if err := b.platforms(b.cfg, &b.out); err != nil {
		return err
	}
	if b.o.Notifiers != nil {
		b.o.Notifiers(&b.out)
	}
	b.presence, err = b.newPresence(b.cfg, &b.out)
	return err
}

func (b *builder) activities() (*activities.Activities, error) {
	cfg := b.cfg
	transcriber, err := b.transcriber(b.o, b.model)
	if err != nil {
		return nil, err
	}
	return activities.New(activities.Deps{
		Store: b.Store, Model: b.model, Roster: cfg.Roster, Tools: b.tools, Peers: b.peers, Coding: b.coding,
		Sessions: b.Dispatch, Histories: b.Dispatch, Notifiers: &b.out, Webhooks: b.webhooks, Browsers: b.browsers, Pushes: b.a2a,
		Connections: &b.connections, Settle: b.presence.Settle, Liveness: &b.liveness, Accounts: accountsOf(cfg), Admits: b.Intake.Admits, Metrics: *b.metrics,
		Transcriber: transcriber, Logger: b.log, Window: cfg.Sessions.Window, MaxDepth: cfg.Delegation.MaxDepth, Turns: cfg.Slots.Turns,
		Policy: maintenanceOf(cfg).Policy, Backup: scheduledBackup(cfg, b.o.Version), Settings: b.settings, Probe: b.o.Probe,
		Rights: b.env.Rights, Texts: b.env.Texts, Language: cfg.Language, Zone: cfg.Zone(),
		Sticky: cfg.Sessions.Sticky, StickyFor: cfg.Sessions.StickyFor, BeginWithLast: cfg.Sessions.BeginWith == config.BeginLast,
		QuestionPace: questionPace(cfg), TrustPromises: !cfg.Sessions.Promises, Pairs: b.Service.Internal, Procedures: cfg.Procedures,
		Approvals: cfg.Approvals, Pictures: sandbox.PictureShrinker{Program: b.o.Program},
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
	a.log.Debug("sandbox of run_code", "sandbox", a.code.String(), "not_used", a.code.Why)
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

func (a *App) newModel(o Options, catalog *texts.Catalog) (activities.Model, error) {
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
		log.Warn("cannot read the last token counts; estimates start again", "error", err)
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
		model := llm.Model{MaxOutput: m.MaxOutput, ContextTokens: m.ContextTokens}
		var price *llm.Price
		if p := m.Price; p != nil {
			price = &llm.Price{Input: p.Input, Output: p.Output, Cached: p.Cached, Write: p.Write, Source: llm.PriceConfigured}
		}
		for _, p := range m.Providers {
			full, contextTokens := llm.Provider{
				Price: price, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), APIKeyEnv: p.APIKeyEnv, Model: p.Name,
				API: llm.API(p.API), Background: p.Background, Vision: p.Vision,
				Concurrency: p.Concurrency, MaxTools: p.MaxTools, FirstToken: p.FirstToken, Idle: p.Idle, Accepts: p.Accepts,
			}.WithPriceList()
			model.Providers = append(model.Providers, full)
			model.ContextTokens = cmp.Or(model.ContextTokens, contextTokens)
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

func builtInTools() *tools.Set {
	set, err := Tools(&App{webTools: webtools.Options{Engine: webtools.DuckDuckGo{}}}, nil, nil)
	if err != nil {
		return &tools.Set{}
	}
	return set
}

// OwnToolNames returns the names of the built-in tools that errand runs itself.
func OwnToolNames() []string {
	set := builtInTools()
	return slices.DeleteFunc(set.Names(), func(name string) bool {
		t, _ := set.Tool(name)
		return t.By == store.ByActivity
	})
}

// ToolNames returns the names of the built-in tools, to check the roster.
func ToolNames() []string {
	set := builtInTools()
	// These tools depend on the machine and on the skills, which are not known yet.
	return append(set.Names(), code.Name, agents.ReadSkill, skills.CopySkill)
}
