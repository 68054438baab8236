// Package workflowtest runs an errand without a server. Its workflows run in Temporal's
// test environment, its activities are the real ones over a store on SQLite, and a
// scripted model plays the agents. Everything is on one clock, which does not wait:
// time passes when a test has it pass, and then at once.
//
// What the environment has no likeness of is tested on a real server, in internal/app:
// the processes of an installation, their death, histories, and Temporal's own list of
// workflows.
package workflowtest

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/reconcile"
	"errand/internal/temporal/wire"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/notifiertest"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
	"errand/internal/texts"
	"errand/internal/tools"
	"errand/internal/tools/files"
	"errand/notifiers"
)

// Owner is who writes where nobody else is named.
const Owner core.PersonID = "owner"

// Options are what an installation is made of. The zero value is one with the roster
// of [Cast], on which nobody has set anything.
type Options struct {
	Roster   *agents.Roster // default: Cast
	Settings func(*wire.Settings)
	Limits   store.Limits
	Zone     *time.Location // of times that people read; default: UTC
	// Policy is what maintenance goes by; the zero value keeps whatever somebody may
	// set a time for.
	Policy store.Policy
	// ReadBack makes the platform tell what has arrived, Dedupe show a key once.
	ReadBack, Dedupe bool
	House            func(*intaketest.Deps)
	Activities       func(*activities.Deps)
	Peers            map[core.AgentName]activities.Peer
	// Late is how much later than asked for timers of workflows fire, as those of a
	// workflow do that a server has many signals for.
	Late time.Duration
}

// An Installation is errand without a server. T is that of the bubble of
// testing/synctest it is in, whose context everything in it uses. Channel "web" has pages that nobody
// looks at; channel "test" is a platform with faults to order.
type Installation struct {
	T          *testing.T
	Stage      *llmtest.Stage
	Store      *store.Store
	House      intaketest.House
	Dispatch   *dispatch.Dispatcher
	Reconciler *reconcile.Reconciler
	Platform   *notifiertest.Platform
	Tools      *tools.Set

	temporal *temporalInTest
	deps     activities.Deps
	acts     *activities.Activities
}

// Cast is a roster deep enough to go wrong in: each agent may send the next ones and
// finn the one above it, too.
func Cast() *agents.Roster {
	agent := func(name core.AgentName, delegates ...core.AgentName) agents.Agent {
		return agents.Agent{Name: name, Instructions: "I am " + string(name) + ".", Delegates: delegates, MaxSteps: agents.MaxMaxSteps}
	}
	roster, err := agents.New("nikki", []agents.Agent{
		agent("nikki", "sasha", "finn", "priest"), agent("sasha", "finn", "priest"),
		agent("finn", "priest", "sasha"), agent("priest", "vera"), agent("vera"),
	}, agents.Rules{})
	if err != nil {
		panic(err) // the roster above is a good one
	}
	return roster
}

// Run runs a test on an installation of its own.
func Run(t *testing.T, o Options, test func(*Installation)) {
	t.Helper()
	// What is made once for all tests must not be made in the bubble of one.
	path := storetest.File(t)
	synctest.Test(t, func(t *testing.T) {
		in := install(t, path, o)
		defer in.stop()
		test(in)
	})
}

func install(t *testing.T, path string, o Options) *Installation {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	roster := o.Roster
	if roster == nil {
		roster = Cast()
	}
	logger := testLogger()
	words, err := texts.New(nil)
	check(err)
	notifications := activities.Notifications{Roster: roster, Texts: words, Zone: cmp.Or(o.Zone, time.UTC)}
	in := &Installation{T: t, Stage: llmtest.NewStage(), Platform: notifiertest.NewPlatform(o.Dedupe)}
	in.Store, err = store.Open(t.Context(), store.Options{SQLite: path, Now: time.Now, Limits: o.Limits, Notification: notifications.Text})
	check(err)
	_, err = in.Store.EnsurePerson(t.Context(), Owner, "Owner", core.MasterAdmin)
	check(err)

	in.temporal = newTemporal(logger, o.Late)
	in.Stage.Sleep = in.temporal.sleep
	in.temporal.begin(in.build(o, roster, words, logger, check))
	in.Reconciler = &reconcile.Reconciler{Store: in.Store, Dispatch: in.Dispatch, Service: in.House.Internal, Logger: logger}
	return in
}

// build wires the parts together as internal/app does.
func (in *Installation) build(o Options, roster *agents.Roster, words *texts.Catalog, logger *slog.Logger, check func(error)) *activities.Activities {
	settings := wire.Settings{}.WithDefaults()
	if o.Settings != nil {
		o.Settings(&settings)
	}
	var err error
	in.Dispatch, err = dispatch.New(dispatch.Options{Client: in.temporal, Store: in.Store, Settings: settings, KindOf: roster.Kind, Logger: logger,
		Maintenance: dispatch.Maintenance{Policy: o.Policy}})
	check(err)
	var out notifiers.Router
	out.Handle("test", &notifiertest.Notifier{URL: "http://platform", ReadBack: o.ReadBack, Client: in.Platform.Client()})
	var acts *activities.Activities
	h := intaketest.Deps{Deps: service.Deps{
		Env:      &service.Env{Store: in.Store, Logger: logger, Texts: words, Zone: o.Zone},
		Dispatch: in.Dispatch, Roster: roster, Owner: Owner, Sticky: true, StickyFor: time.Hour,
		Sends: func(at core.Account) bool { return out.Handles(core.Route{Channel: at.Channel, Account: at.Name}) },
		Tools: func(s core.Session, role core.Role) []string { return acts.Prompts.OnOffer(s, role) },
		Peers: map[core.AgentName]service.Peer{},
	}}
	for name, peer := range o.Peers {
		h.Peers[name] = peer
	}
	if o.House != nil {
		o.House(&h)
	}
	in.House = intaketest.New(in.T, h)
	var list []tools.Tool
	list = append(list, tools.Delegating(h.Procedures...)...)
	list = append(list, tools.HandOver(), tools.Verdict(), tools.Ask(), tools.Answer(in.House.Runner))
	list = append(list, tools.Tasks(in.Store, in.House.Runner)...)
	list = append(list, tools.Memory(in.Store)...)
	list = append(list, tools.Remind(in.House.Runner)...)
	list = append(list, tools.Artifacts(in.Store)...)
	list = append(list, files.Tools(in.Store)...)
	list = append(list, files.Send(in.House.Runner, in.Store))
	in.Tools, err = tools.NewSet(list...)
	check(err)
	deps := activities.Deps{
		Store: in.Store, Model: in.Stage, Roster: roster, Tools: in.Tools, Sessions: in.Dispatch, Histories: in.Dispatch, Notifiers: &out,
		Admits: in.House.Admits, Logger: logger, Texts: words, Zone: o.Zone, Rights: in.House.Rights, Sticky: true, StickyFor: time.Hour,
		Policy: o.Policy, Settings: settings, Pairs: in.House.Internal, Procedures: h.Procedures, Peers: o.Peers,
	}
	if o.Activities != nil {
		o.Activities(&deps)
	}
	acts, err = activities.New(deps)
	check(err)
	in.deps, in.acts = deps, acts
	return acts
}

// Configure changes the settings of workflows, as a worker does that starts again with
// another configuration.
func (in *Installation) Configure(change func(*wire.Settings)) {
	in.Settle()
	change(&in.deps.Settings)
	acts, err := activities.New(in.deps)
	if err != nil {
		in.T.Fatal(err)
	}
	*in.acts = *acts
}

func (in *Installation) stop() {
	in.temporal.stop()
	if err := in.Store.Close(); err != nil {
		in.T.Error(err)
	}
}

// testLogger is silent unless ERRAND_TEST_LOG is set.
func testLogger() *slog.Logger {
	if os.Getenv("ERRAND_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Pass lets time pass, and then everything happen that can by then.
func (in *Installation) Pass(d time.Duration) {
	if d > 0 {
		<-in.temporal.after(d)
	}
	synctest.Wait()
}

// Settle lets everything happen that needs no time.
func (in *Installation) Settle() { in.Pass(0) }

// Key is the owner's conversation in a chat of the web.
func Key(chat string) core.SessionKey {
	return core.NewSessionKey(core.WebRoute(chat), Owner)
}

// Send has the owner write in chat "main" of the web, and lets happen what
// comes of it at once.
func (in *Installation) Send(text string) { in.SendTo("main", text) }

// SendTo is Send to another chat.
func (in *Installation) SendTo(chat, text string) {
	in.T.Helper()
	in.Write(Message{Route: core.WebRoute(chat), Text: text})
}

// A Message is one that somebody writes.
type Message struct {
	Route    core.Route
	Person   core.PersonID // default: Owner
	Role     core.Role     // default: MasterAdmin
	ID       string        // on its platform; default: another each time
	Revision int
	Text     string
}

// Write has somebody write a message, and returns errand's own answer to it.
func (in *Installation) Write(m Message) string {
	in.T.Helper()
	return in.Accept(intake.Inbound{Route: m.Route, Person: cmp.Or(m.Person, Owner), Role: cmp.Or(m.Role, core.MasterAdmin),
		MessageID: m.ID, Revision: m.Revision, Text: m.Text}).Answer
}

// Read is what the owner has read in chat "main" of the web, in order.
func (in *Installation) Read() []string { return in.ReadIn(Key("main")) }

// ReadIn is what a person has read in a conversation, in order.
func (in *Installation) ReadIn(key core.SessionKey) []string {
	in.T.Helper()
	events, err := in.Store.Events(in.T.Context(), key, 0, 1000)
	if err != nil {
		in.T.Fatal(err)
	}
	return TextsOf(events)
}

// TextsOf is what the person reads of errand in a log, in order.
func TextsOf(events []core.Event) []string {
	var texts []string
	for _, e := range events {
		switch e.Type {
		case core.EventReply, core.EventQuestion, core.EventLate, core.EventError, core.EventNotice:
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// Tasks are those there are, in the order in which they were delegated: the deeper
// ones after those that they are delegated by.
func (in *Installation) Tasks() []core.Task {
	in.T.Helper()
	list, err := in.Store.Tasks(in.T.Context(), store.TaskFilter{})
	if err != nil {
		in.T.Fatal(err)
	}
	slices.SortFunc(list, func(a, b core.Task) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Origin.Depth, b.Origin.Depth), cmp.Compare(a.AgentList(), b.AgentList()))
	})
	return list
}

// Reconcile makes one pass as a worker does every minute.
func (in *Installation) Reconcile() {
	in.T.Helper()
	if err := in.Reconciler.Once(in.T.Context(), time.Now().Add(time.Second)); err != nil {
		in.T.Fatal(err)
	}
	in.Settle()
}

// Maintain runs maintenance, as a schedule does every night, and returns what it did.
func (in *Installation) Maintain() (done wire.MaintenanceResult) {
	in.T.Helper()
	if err := servicetest.CleanUp(in.T.Context(), in.House.Service, in.owner()); err != nil {
		in.T.Fatal(err)
	}
	in.Settle()
	for range 10 { // a stage that fails is tried again for some minutes
		if in.IsRunning(wire.MaintenanceID) {
			in.Pass(time.Minute)
		}
	}
	err := errEnded
	in.temporal.call(func(workflow.Context) {
		if result := in.temporal.results[wire.MaintenanceID]; result != nil {
			err = result.Get(&done)
		}
	})
	if err != nil {
		in.T.Errorf("maintenance has not finished: %v", err)
	}
	return done
}

// Signal sends a signal, as somebody may in Temporal's Web UI.
func (in *Installation) Signal(id, name string, arg any) error {
	defer in.Settle()
	return in.temporal.SignalWorkflow(context.Background(), id, "", name, arg)
}

// Signals is how many signals of a name were delivered to a workflow from outside.
func (in *Installation) Signals(id, name string) int {
	n := 0
	in.temporal.call(func(workflow.Context) { n = in.temporal.signals[[2]string{id, name}] })
	return n
}

// Cancel requests the cancellation of a workflow.
func (in *Installation) Cancel(id string) error {
	defer in.Settle()
	return in.temporal.CancelWorkflow(context.Background(), id, "")
}

// Terminate ends a workflow without asking it.
func (in *Installation) Terminate(id string) error {
	defer in.Settle()
	return in.temporal.TerminateWorkflow(context.Background(), id, "", "enough")
}

// IsRunning reports whether a workflow runs.
func (in *Installation) IsRunning(id string) bool {
	running := false
	in.temporal.call(func(workflow.Context) { running = in.temporal.running(id) })
	return running
}

// Reads fails unless the owner has read, in chat "main" of the web, texts that contain
// these, each one of them, in this order, and nothing else.
func (in *Installation) Reads(want ...string) {
	in.T.Helper()
	in.ReadsIn(Key("main"), want...)
}

// ReadsIn is Reads of a conversation.
func (in *Installation) ReadsIn(key core.SessionKey, want ...string) {
	in.T.Helper()
	if got := in.ReadIn(key); !slices.EqualFunc(got, want, strings.Contains) {
		in.T.Errorf("the person reads\n\t%q\nwant\n\t%q", got, want)
	}
}

// SendWithID is Send of a message with an id of its platform.
func (in *Installation) SendWithID(id, text string) {
	in.T.Helper()
	in.Write(Message{Route: core.WebRoute("main"), ID: id, Text: text})
}

func (in *Installation) owner() actor.Actor {
	return actor.Actor{Person: Owner, Role: core.MasterAdmin}
}

// Reset ends the owner's session in chat "main" of the web, and begins another.
func (in *Installation) Reset() {
	in.T.Helper()
	if _, err := servicetest.Reset(in.T.Context(), in.House.Service, in.owner(), Key("main"), "", core.ShortID(8)); err != nil {
		in.T.Fatal(err)
	}
	in.Settle()
}

// Delegate gives agents a task that no agent has asked for, and of which nobody is
// told.
func (in *Installation) Delegate(text string, to ...core.AgentName) {
	in.T.Helper()
	in.Decide(text, api.NewTask{}, to...)
}

// Decide is Delegate of what agents are to decide.
func (in *Installation) Decide(text string, d api.NewTask, to ...core.AgentName) {
	in.T.Helper()
	d.Agents, d.Text = to, text
	_, err := servicetest.CreateTask(in.T.Context(), in.House.Service, in.owner(), api.CreateTaskInput{Body: d})
	if err != nil {
		in.T.Fatal(err)
	}
	in.Settle()
}

// Command has the owner give a command in chat "main" of the web, and returns errand's
// answer.
func (in *Installation) Command(text string) string {
	in.T.Helper()
	return in.Write(Message{Route: core.WebRoute("main"), Text: text})
}

// CancelTask ends a task as a person does.
func (in *Installation) CancelTask(id core.TaskID, reason string) error {
	_, err := servicetest.CancelTask(in.T.Context(), in.House.Service, in.owner(), id, reason)
	return err
}

// TaskOf is the first task of an agent.
func (in *Installation) TaskOf(agent core.AgentName) core.Task {
	in.T.Helper()
	for _, task := range in.Tasks() {
		if slices.Contains(task.Agents, agent) {
			return task
		}
	}
	in.T.Errorf("%s has no task", agent)
	return core.Task{}
}

// Transcript is what an agent has in its transcript, in order, as people read it.
func (in *Installation) Transcript(owner core.Owner) []core.Message {
	in.T.Helper()
	list, err := in.Store.Transcript(in.T.Context(), owner, 0)
	if err != nil {
		in.T.Fatal(err)
	}
	return list
}

// LastPrompt is what the model of an agent was given last.
func (in *Installation) LastPrompt(agent core.AgentName) (last llm.Request) {
	for _, r := range in.Stage.Requests() {
		if llmtest.OnStage(r) == string(agent) {
			last = r
		}
	}
	return last
}

// Quiet returns a function that fails if calls of these agents' models have begun in
// between.
func (in *Installation) Quiet(agents ...core.AgentName) func() {
	calls := func() map[core.AgentName]int {
		n := map[core.AgentName]int{}
		for _, a := range agents {
			n[a] = in.Stage.Called(string(a))
		}
		return n
	}
	before := calls()
	return func() {
		in.T.Helper()
		if after := calls(); !maps.Equal(before, after) {
			in.T.Errorf("model calls have begun: there were %v, and now %v", before, after)
		}
	}
}

// LastGiven fails unless the model that was called last was given these messages.
func (in *Installation) LastGiven(messages ...string) {
	in.T.Helper()
	requests := in.Stage.Requests()
	last := requests[len(requests)-1]
	for _, want := range messages {
		if !slices.ContainsFunc(last.Messages, func(m core.Message) bool { return m.Text == want }) {
			in.T.Errorf("the model that was called last was not given %q", want)
		}
	}
}

// Query asks a workflow that runs, as Temporal's Web UI does.
func (in *Installation) Query(id, query string, result any) error {
	value, err := in.temporal.QueryWorkflow(context.Background(), id, "", query)
	if err != nil {
		return err
	}
	return value.Get(result)
}
