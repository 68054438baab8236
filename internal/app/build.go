package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"errand"
	"errand/activities"
	"errand/internal/a2aserver"
	"errand/internal/agents"
	"errand/internal/channels"
	"errand/internal/commands"
	"errand/internal/config"
	"errand/internal/dispatch"
	"errand/internal/intake"
	"errand/internal/limit"
	"errand/internal/llm"
	"errand/internal/llm/demo"
	"errand/internal/modelcheck"
	"errand/internal/picture"
	"errand/internal/reconcile"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/titles"
	"errand/internal/tools"
	"errand/internal/tools/code"
	"errand/internal/tools/files"
	"errand/internal/tools/skills"
	webtools "errand/internal/tools/web"
	"errand/internal/webhook"
	"errand/notifiers"
	"errand/workflows"
)

// Owner is the person whose installation this is: whoever shows its key.
const Owner errand.PersonID = "owner"

// toolsOf names what the agent of a session may call for somebody with a role.
func (a *App) toolsOf(s store.Session, person errand.Role) []string {
	if a.acts == nil { // nobody asks before everything stands
		return nil
	}
	return activities.OnOffer(a.acts, s, person)
}

// hasTool reports whether errand has a tool of a name, whoever may call it.
func (a *App) hasTool(name string) bool {
	if a.acts == nil {
		return false
	}
	_, ok := a.acts.Tools.Tool(name)
	return ok
}

// maxTools returns how many tools a request of an agent may have; it is called once everything stands.
func (a *App) maxTools(agent errand.AgentName) int { return activities.MaxTools(a.acts, agent) }

func (a *App) build(o Options, settings workflows.Settings) (*activities.Activities, error) {
	ctx := context.Background()
	if _, err := a.Store.EnsurePerson(ctx, Owner, "Owner", errand.MasterAdmin); err != nil {
		return nil, fmt.Errorf("prepare the store: %w", err)
	}
	cfg := o.Config
	catalog, err := texts.New(cfg.Texts)
	if err != nil {
		return nil, err
	}
	var out notifiers.Router
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
	a.Service, err = service.New(service.Deps{
		Dispatch: a.Dispatch, Store: a.Store, Roster: cfg.Roster, Logger: a.log,
		Busy: settings.Busy, MessageBytes: cfg.Limits.MessageBytes,
		Texts: catalog, Language: cfg.Language, Zone: cfg.Zone(),
		Rights: cfg.Rights, Access: accessOf(cfg), Owner: Owner,
		Sticky: cfg.Sessions.Sticky, StickyFor: cfg.Sessions.StickyFor, BeginWithLast: cfg.Sessions.BeginWith == config.BeginLast, Models: modelNames(cfg), QuestionPace: questionPace(cfg),
		Accounts: accountsOf(cfg), PairCode: a.pairCode, Health: a.health(),
		MaxFile:   func(to errand.Route) int64 { return out.MaxFile(to, store.MaxFile) },
		Sends:     func(at errand.Account) bool { return out.Handles(errand.Route{Channel: at.Channel, Account: at.Name}) },
		HandOvers: a.metrics.HandOvers, LateAnswers: a.metrics.LateAnswers, Tools: a.toolsOf, RateRows: a.rateRows(), Points: o.Probe,
		PairPerHour: cfg.Delegation.PairPerHour, Team: service.TeamLimits(cfg.Team), Procedures: cfg.Procedures,
	})
	if err != nil {
		return nil, err
	}
	a.Commands = commands.New(a.Service, a.metrics.Commands)
	a.Intake = intake.New(a.Service, a.Commands, intake.Options{
		Shared: sharedIn(cfg), Rates: intake.Rates(cfg.Limits.PerMinute), RateRows: a.rateRows(), Probe: o.Probe,
		AttachmentBytes: int64(cfg.Limits.AttachmentBytes), Downloads: cfg.Limits.Downloads, Transcribes: o.Transcriber != nil || cfg.Transcription != nil, VoiceLength: longestRecording(cfg),
	})
	a.Service.Intake = a.Intake
	a.a2a = a2aserver.New(a2aserver.Options{Backend: backend{a.Service, a.Intake}, Logger: a.log, Version: o.Version})
	a.Reconciler = &reconcile.Reconciler{Store: a.Store, Dispatch: a.Dispatch, Service: a.Service, Logger: a.log, Worker: a.owner}
	if key := cfg.Sessions.TitleModel; key != "" {
		a.titles = &titles.Namer{Store: a.Store, Model: model, Key: key, Logger: a.log}
	}
	transcriber := o.Transcriber
	if hearing, ok := model.(activities.Transcriber); ok && transcriber == nil && cfg.Transcription != nil {
		transcriber = hearing
	}
	if a.webTools, err = webOptions(o); err != nil {
		return nil, err
	}
	sender, err := webhook.New(cfg.Hooks.Allow)
	if err != nil {
		return nil, err
	}
	a.Service.Webhooks = sender
	browsers, err := a.newBrowsers(ctx, cfg)
	if err != nil {
		return nil, err
	}
	a.Service.Browsers = browsers
	a.code = code.Find(ctx, code.Options(cfg.Code), code.Host{Program: o.Program, Cache: filepath.Join(cfg.Data, "cache", "quickjs")})
	a.log.Info("programs", "run_by", a.code.String(), "instead_of", a.code.Why)
	a.skills = skillTools(cfg, a.Store)
	set, err := Tools(a)
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
	if err := a.newMCP(ctx, o, set); err != nil {
		return nil, err
	}
	a.Service.MCP = mcpView{a.MCP, cfg.Approvals}
	a.connections = connections{store: a.Store, owner: a.owner, runners: map[errand.Account]*channels.LeaseRunner{}, attendances: map[errand.Account]*channels.Attendance{}}
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
	remote, looked, err := peers(cfg)
	if err != nil {
		return nil, err
	}
	a.Service.Peers, a.Service.Coding = looked, map[errand.AgentName]func(context.Context) error{}
	for _, c := range cfg.CodingAgents {
		a.Service.Coding[c.Name] = func(ctx context.Context) error { return a.coding.Check(ctx, c.Name) }
	}
	if a.coding, err = a.newCoding(o); err != nil {
		return nil, err
	}
	return activities.New(activities.Deps{
		Store: a.Store, Model: model, Roster: cfg.Roster, Tools: set, Peers: remote, Coding: a.coding, Sessions: a.Dispatch, Histories: a.Dispatch, Notifiers: &out, Webhooks: sender, Browsers: browsers, Pushes: a.a2a, Connections: &a.connections, Accounts: accountsOf(cfg), Admits: a.Intake.Admits, Metrics: *a.metrics,
		Transcriber: transcriber, Logger: a.log, Window: cfg.Sessions.Window, MaxDepth: cfg.Delegation.MaxDepth, Turns: cfg.Slots.Turns, Policy: maintenanceOf(cfg).Policy, Settings: settings, Probe: o.Probe,
		Rights: a.Service.Rights, Texts: catalog, Language: cfg.Language, Zone: cfg.Zone(), Sticky: cfg.Sessions.Sticky, StickyFor: cfg.Sessions.StickyFor,
		QuestionPace: questionPace(cfg), TrustPromises: !cfg.Sessions.Promises, Pairs: a.Service, Procedures: cfg.Procedures, Approvals: cfg.Approvals,
		BeginWithLast: cfg.Sessions.BeginWith == config.BeginLast, Pictures: picture.Shrinker{Program: o.Program},
	})
}

// rateRows count rates and attempts to log in for all workers; nil: there is one.
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

func sharedIn(cfg *config.Config) func(errand.Route) bool {
	of := map[errand.Account]config.GroupMode{}
	for _, c := range cfg.Channels {
		of[c.At()] = c.Groups
	}
	return func(r errand.Route) bool {
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

// Tools are the built-in tools.
func Tools(a *App) (*tools.Set, error) {
	var list []tools.Tool
	list = append(list, tools.Delegating(a.Service.Procedures...)...)
	list = append(list, tools.HandOver(), tools.Verdict(), tools.Ask(), tools.Answer(a.Service))
	list = append(list, tools.Tasks(a.Store, a.Service)...)
	list = append(list, tools.Memory(a.Store)...)
	list = append(list, tools.Remind(a.Service)...)
	list = append(list, tools.Artifacts(a.Store)...)
	list = append(list, tools.Plan(a.Store))
	list = append(list, a.skills...)
	list = append(list, files.Tools(a.Store)...)
	list = append(list, webtools.Tools(a.webTools)...)
	list = append(list, files.Send(a.Service, a.Store))
	list = append(list, code.Tools(a.Store, a.code)...)
	return tools.NewSet(list...)
}

func (a *App) model(o Options, catalog *texts.Catalog) (activities.Model, error) {
	cfg := o.Config
	if o.Model != nil {
		return o.Model, nil
	}
	if cfg.Demo {
		return llm.New(llm.Config{Models: demoModels(cfg), Transcription: transcriptionModel(cfg), Logger: a.log, OnCall: a.observeCall})
	}
	list, err := models(cfg)
	if err != nil {
		return nil, err
	}
	client, err := llm.New(llm.Config{Models: list, Transcription: transcriptionModel(cfg), Logger: a.log, OnCall: a.observeCall, Pause: a.pauseProvider})
	if err != nil {
		return nil, err
	}
	a.calibrate(client)
	a.llm = client
	a.models = modelcheck.New(modelcheck.Config{Models: list, Client: client, Store: a.Store, Texts: catalog, Language: cfg.Language, Owner: Owner, Logger: a.log})
	return a.models.Watch(), nil
}

// calibrate has estimates of tokens begin with the last counts of providers. Without them
// the first call of each begins anew, so that it is no reason not to start.
func (a *App) calibrate(client *llm.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	counted, err := a.Store.LastCounted(ctx)
	if err != nil {
		a.log.Warn("the last counts of tokens are not read; estimates begin anew", "error", err)
		return
	}
	client.Calibrate(counted)
}

func (a *App) observeCall(c llm.Call) {
	a.metrics.ModelCalls.Observe(c.Took, c.Model, c.Provider, c.Outcome)
	u := c.Usage
	for kind, n := range map[string]int{"input": u.InputTokens - u.CachedTokens - u.WrittenTokens, "cached": u.CachedTokens, "written": u.WrittenTokens, "output": u.OutputTokens} {
		a.metrics.Tokens.AddMany(n, c.Model, c.Provider, kind)
	}
}

// health is what is known of the models; nil: nothing.
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

// transcriptionModel is what writes down speech; nil: nothing does.
func transcriptionModel(cfg *config.Config) *llm.TranscriptionModel {
	v := cfg.Transcription
	if v == nil {
		return nil
	}
	return &llm.TranscriptionModel{Language: v.Language, Cost: llm.TranscriptionPrice(v.Price), Provider: llm.Provider{
		BaseURL: v.BaseURL, APIKey: v.APIKey.Reveal(), APIKeyEnv: v.APIKeyEnv, Model: v.Name,
	}}
}

// longestRecording is how long a voice note may be; 0: however long.
func longestRecording(cfg *config.Config) time.Duration {
	if cfg.Transcription == nil {
		return 0
	}
	return cfg.Transcription.MaxLength
}

// demoModels lets the demonstration model answer for every model of the roster.
func demoModels(cfg *config.Config) map[string]llm.Model {
	model := demo.Model(demo.Options{})
	list := map[string]llm.Model{}
	for _, name := range cfg.Roster.Names() {
		if agent, ok := cfg.Roster.Agent(name); ok {
			list[agent.Model] = model
		}
	}
	return list
}

func settingsOf(cfg *config.Config) workflows.Settings {
	return workflows.Settings{
		Titles: cfg.Temporal.Titles, Busy: workflows.BusyMode(cfg.Sessions.Busy),
		SuspendAfter: cfg.Sessions.SuspendAfter, Patience: cfg.Sessions.Patience,
		FoldWindow: cfg.Sessions.FoldWindow, FoldTimeout: cfg.Sessions.FoldTimeout,
		MaxSteps: cfg.Sessions.MaxSteps,
	}.WithDefaults()
}

// ToolNames are the names of the built-in tools, for the roster to be checked
// against.
func ToolNames() []string {
	set, err := Tools(&App{Service: &service.Service{}, webTools: webtools.Options{Engine: webtools.DuckDuckGo{}}})
	if err != nil {
		return nil
	}
	// Which machine can run programs, and whether there are skills, is known when it does.
	return append(set.Names(), code.Name, agents.ReadSkill, skills.CopySkill)
}
