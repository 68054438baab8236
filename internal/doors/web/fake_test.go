package web

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

type memory struct {
	mu      sync.Mutex
	log     []core.Event
	subs    []chan core.Event
	tasks   map[core.TaskID]core.Task
	seen    map[string]int64 // message id → id of its event
	reply   bool             // answer each message at once
	broken  error
	tooFast error

	people map[core.PersonID]core.Person
	logins map[string]core.PersonID // token → whose it is
	links  map[string]core.PersonID
	asking map[string]string // secret → state
	asked  []string          // what the backend was asked for, "function person"
	nobody atomic.Int64      // how often a token was nobody's
	waited func()            // what happens while a task is awaited
	given  []api.CreateTaskInput
	asks   actor.Actor // who has asked last for the audit log

	accepts      func(by actor.Actor) // called with each message; may be nil
	replyTimeout time.Duration        // default 200 ms
}

func (m *memory) add(e core.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Type != core.EventDelta {
		e.ID = int64(len(m.log) + 1)
		m.log = append(m.log, e)
	}
	for _, s := range m.subs {
		select {
		case s <- e:
		default:
		}
	}
}

func (m *memory) CheckRate(actor.Actor) error { return m.tooFast }

func (m *memory) AcceptMessage(_ context.Context, by actor.Actor, route core.Route, in api.SendMessageInput) (api.MessageReceipt, error) {
	if m.accepts != nil {
		m.accepts(by)
	}
	id, text := in.Body.MessageID, in.Body.Text
	if m.broken != nil {
		return api.MessageReceipt{}, m.broken
	}
	if strings.TrimSpace(text) == "" {
		return api.MessageReceipt{}, &service.Error{Kind: service.KindInvalid, Code: "empty", Message: "the message is empty"}
	}
	m.note("Accept", string(core.NewSessionKey(route, by.Person))+" "+string(by.Role))
	out := api.MessageReceipt{MessageID: id}
	if strings.HasPrefix(text, "/") {
		out.Answer = "command"
		return out, nil
	}
	m.mu.Lock()
	if _, out.Duplicate = m.seen[id]; !out.Duplicate {
		m.seen[id] = int64(len(m.log) + 1)
	}
	m.mu.Unlock()
	if out.Duplicate {
		return out, nil
	}
	m.add(core.Event{Type: core.EventMessage, Text: text, Message: id})
	if m.reply {
		m.add(core.Event{Type: core.EventDelta, Text: "you "})
		m.add(core.Event{Type: core.EventTask, Task: "t-1", State: core.Submitted})
		if strings.HasSuffix(text, "?") {
			m.add(core.Event{Type: core.EventQuestion, Agent: "nikki", Session: "s", Turn: 1, Text: "shall I?", Options: []string{"yes", "no"}})
			return out, nil
		}
		m.add(core.Event{Type: core.EventReply, Agent: "nikki", Session: "s", Turn: 1, Text: "you said " + text})
	}
	return out, nil
}

func (m *memory) Events(_ context.Context, key core.SessionKey, after int64, limit int) ([]core.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rest := m.log[min(int(after), len(m.log)):]
	return append([]core.Event(nil), rest[:min(len(rest), limit)]...), nil
}

func (m *memory) LastEvents(_ context.Context, key core.SessionKey, before int64, n int) ([]core.Event, error) {
	m.note("Events", key)
	m.mu.Lock()
	defer m.mu.Unlock()
	end := min(int(before)-1, len(m.log))
	return append([]core.Event(nil), m.log[max(0, end-n):end]...), nil
}

func (m *memory) Live() bool { return true }

func (m *memory) MessageEvent(_ context.Context, _ core.SessionKey, id string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[id], nil
}

func (m *memory) TurnOfMessage(context.Context, core.SessionKey, string) (core.Owner, int, bool, error) {
	return "", 0, true, nil
}

func (m *memory) Join(key core.SessionKey) (<-chan core.Event, func()) { return m.Subscribe(key) }

func (m *memory) Subscribe(core.SessionKey) (<-chan core.Event, func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := make(chan core.Event, 100)
	m.subs = append(m.subs, c)
	return c, func() {}
}

// SubscribeLists announces two changes.
func (m *memory) SubscribeLists(person core.PersonID) (<-chan events.Lists, func()) {
	m.note("SubscribeLists", string(person))
	changed := make(chan events.Lists)
	stop := make(chan struct{})
	go func() {
		for _, lists := range []events.Lists{events.Tasks | events.Deliveries, events.Questions} {
			select {
			case changed <- lists:
			case <-stop:
			}
		}
	}()
	return changed, sync.OnceFunc(func() { close(stop) })
}

func (m *memory) FindTask(_ context.Context, by actor.Actor, prefix string, person core.PersonID) (core.Task, error) {
	person, err := whose(by, person)
	if err != nil {
		return core.Task{}, err
	}
	m.note("FindTask", string(person)+" "+prefix)
	t, ok := m.tasks[core.TaskID(prefix)]
	if !ok || person != "" && t.Origin.Person != person {
		return t, &service.Error{Kind: service.KindNotFound, Code: "not_found", Message: "no task " + prefix}
	}
	return t, nil
}

func (m *memory) CancelTask(_ context.Context, by actor.Actor, id core.TaskID, reason string) (core.Task, error) {
	t := m.tasks[id]
	if err := others(by, rights.OthersChange); err != nil && t.Origin.Person != by.Person {
		return t, err
	}
	m.note("CancelTask", string(id))
	t.State, t.Error = core.Canceled, reason
	return t, nil
}

func (m *memory) RetryTask(_ context.Context, by actor.Actor, id core.TaskID) (core.Task, error) {
	if err := others(by, rights.OthersChange); err != nil && m.tasks[id].Origin.Person != by.Person {
		return core.Task{}, err
	}
	return core.Task{ID: "t-3", RetryOf: id}, nil
}

// The people of the fake, one of each role.
func people() map[core.PersonID]core.Person {
	out := map[core.PersonID]core.Person{}
	for id, role := range map[core.PersonID]core.Role{"owner": core.MasterAdmin, "p-pat": core.Partner, "p-mia": core.Member, "p-gus": core.Guest} {
		out[id] = core.Person{ID: id, Role: role, Name: string(id)}
	}
	return out
}

// testKey makes the owner. What tests request without saying who they are, the
// owner requests.
const testKey = "errand_owner_of_the_tests"

var nobody = map[string]string{"Authorization": ""}

func serve(t *testing.T, m *memory, change func(*Options)) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handle(t, m, change))
	t.Cleanup(server.Close)
	return server
}

func (m *memory) Ready(context.Context) error { return m.broken }

// handle is serve without a network.
func handle(t testing.TB, m *memory, change func(*Options)) http.Handler {
	t.Helper()
	return newServer(t, m, change).Handler()
}

// runner runs operations with the rights that errand has as it is shipped.
func (m *memory) runner() *ops.Runner {
	env := &service.Env{Rights: api.Rights(), Logger: slog.New(slog.DiscardHandler), Texts: shippedTexts()}
	r := service.NewRunner(env, func(actor.Actor) error { return m.tooFast })
	messages := &service.Messages{Env: env, Intake: m, Log: m, Bus: m, Poll: 10 * time.Millisecond, ReplyTimeout: cmp.Or(m.replyTimeout, 200*time.Millisecond)}
	messages.Bind(r)
	m.bindWaiting(r)
	ops.Bind(r, api.CancelTask, func(ctx context.Context, by actor.Actor, in api.CancelTaskInput) (api.Task, error) {
		t, err := m.FindTask(ctx, by, in.ID, in.Person)
		if err == nil {
			t, err = m.CancelTask(ctx, by, t.ID, in.Body.Reason)
		}
		return api.Task{Task: t, Agent: t.AgentList()}, err
	})
	ops.Bind(r, api.CreateToken, func(_ context.Context, _ actor.Actor, in api.CreateTokenInput) (api.MadeToken, error) {
		return api.MadeToken{Token: core.Token{ID: "k-2", Person: core.PersonID(in.ID), Name: in.Body.Name}, Secret: "token-" + in.ID}, nil
	})
	ops.Bind(r, api.RevokeToken, func(_ context.Context, _ actor.Actor, in api.TokenID) (api.RevokedToken, error) {
		return api.RevokedToken(in), nil
	})
	answerNothing(r, api.ListOwnTokens)
	answerNothing(r, api.CreateOwnToken)
	answerNothing(r, api.RevokeOwnToken)
	answerNothing(r, api.ListTokens)
	ops.Bind(r, api.ListTasks, func(_ context.Context, by actor.Actor, in api.ListTasksInput) (list api.List[api.Task], err error) {
		person, err := whose(by, in.Person.Person)
		if err != nil {
			return list, err
		}
		m.note("Tasks", strings.TrimSpace(string(person)+" "+in.Chat))
		for _, t := range m.tasks {
			list.Items = append(list.Items, api.Task{Task: t, Agent: t.AgentList()})
		}
		return list, nil
	})
	ops.Bind(r, api.GetTask, func(ctx context.Context, by actor.Actor, in api.GetTaskInput) (api.Task, error) {
		t, err := m.FindTask(ctx, by, in.ID, in.Person.Person)
		if in.Wait > 0 {
			m.note("GetTask", fmt.Sprintf("%s %ds", in.ID, in.Wait))
			if m.waited != nil {
				m.waited()
			}
		}
		return api.Task{Task: t, Agent: t.AgentList()}, err
	})
	ops.Bind(r, api.ListHooks, func(_ context.Context, _ actor.Actor, in api.ListHooksInput) (list api.List[core.Webhook], err error) {
		_, err = service.ParseCursor(api.ListHooks.Name, in.After.After)
		return list, err
	})
	ops.Bind(r, api.TryHook, func(context.Context, actor.Actor, api.TryHookInput) (api.TriedHook, error) {
		return api.TriedHook{OK: true}, nil
	})
	ops.Bind(r, api.GetHookSecret, func(context.Context, actor.Actor, api.HookSecretInput) (api.HookSecret, error) {
		return api.HookSecret{Secret: "whsec_x"}, nil
	})
	ops.Bind(r, api.CountTasks, func(context.Context, actor.Actor, api.TaskFilter) (api.TaskCounts, error) {
		return api.TaskCounts{}, nil
	})
	ops.Bind(r, api.ListTaskCalls, func(context.Context, actor.Actor, api.ListTaskCallsInput) ([]core.TurnCall, error) {
		return []core.TurnCall{}, nil
	})
	ops.Bind(r, api.GetTimeline, func(context.Context, actor.Actor, api.TimelineInput) (api.Timeline, error) {
		return api.Timeline{}, nil
	})
	ops.Bind(r, api.ListQuestions, func(_ context.Context, _ actor.Actor, in api.ListQuestionsInput) (api.List[api.Question], error) {
		q := core.Question{ID: "q-22222222", State: core.QuestionOpen}
		if in.All {
			q.State = core.QuestionAnswered
		}
		return api.List[api.Question]{Items: []api.Question{{Question: q}}}, nil
	})
	answerNothing(r, api.GetQuestion)
	answerNothing(r, api.AnswerQuestion)
	ops.Bind(r, api.GetUsage, func(_ context.Context, by actor.Actor, in api.GetUsageInput) (out api.Usage, err error) {
		person, err := whose(by, in.Person.Person)
		if err == nil {
			m.note("Usage", fmt.Sprintf("%s %d", person, in.Days))
		}
		return out, err
	})
	answerNothing(r, api.ListDeliveries)
	answerNothing(r, api.RetryDelivery)
	answerNothing(r, api.DismissDelivery)
	ops.Bind(r, api.CreateTask, func(_ context.Context, by actor.Actor, in api.CreateTaskInput) (api.Task, error) {
		m.note("CreateTask", string(by.Person)+" "+string(by.Role))
		m.given = append(m.given, in)
		return api.Task{Task: core.Task{ID: "t-2", Agents: core.AgentNames(in.Body.Agent), Text: in.Body.Text}}, nil
	})
	answerNothing(r, api.CancelTasks)
	answerNothing(r, api.RetryTasks)
	answerNothing(r, api.GetTaskDetails)
	answerNothing(r, api.ListReminders)
	answerNothing(r, api.CreateReminder)
	answerNothing(r, api.ChangeReminder)
	answerNothing(r, api.GetChatWork)
	answerNothing(r, api.CancelReminder)
	answerNothing(r, api.ListNotes)
	ops.Bind(r, api.DeleteNote, func(_ context.Context, _ actor.Actor, in api.DeleteNoteInput) (api.NoteOut, error) {
		return api.NoteOut{Agent: in.Agent, Key: in.Key}, nil
	})
	m.bindFiles(r)
	m.bindPeople(r)
	m.bindSessions(r)
	m.bindInstallation(r)
	ops.Bind(r, api.Pause, func(context.Context, actor.Actor, api.None) (api.Paused, error) { return api.Paused{Paused: true}, nil })
	ops.Bind(r, api.Resume, func(context.Context, actor.Actor, api.None) (api.Paused, error) { return api.Paused{}, nil })
	ops.Bind(r, api.RetryTask, func(ctx context.Context, by actor.Actor, in api.TaskRef) (api.Task, error) {
		t, err := m.FindTask(ctx, by, in.ID, in.Person)
		if err == nil {
			t, err = m.RetryTask(ctx, by, t.ID)
		}
		return api.Task{Task: t}, err
	})
	ops.Bind(r, api.SteerTask, func(_ context.Context, _ actor.Actor, in api.SteerTaskInput) (api.Task, error) {
		t := m.tasks[core.TaskID(in.ID)]
		t.Added += len(in.Body.Text)
		return api.Task{Task: t}, nil
	})
	ops.Bind(r, api.ContinueTask, func(_ context.Context, _ actor.Actor, in api.ContinueTaskInput) (api.Task, error) {
		return api.Task{Task: core.Task{ID: "t-4", Continues: core.TaskID(in.ID), Title: in.Body.Text + " " + in.Body.Chat}}, nil
	})
	return r
}

func shippedTexts() *texts.Catalog {
	catalog, err := texts.New(nil)
	if err != nil {
		panic(err)
	}
	return catalog
}

// answerNothing binds an operation to a function that answers with a zero value.
func answerNothing[In, Out any](r *ops.Runner, op api.Op[In, Out]) {
	ops.Bind(r, op, func(context.Context, actor.Actor, In) (out Out, err error) { return out, nil })
}

func newServer(t testing.TB, m *memory, change func(*Options)) *Server {
	t.Helper()
	m.seen, m.asking, m.logins = map[string]int64{}, map[string]string{}, map[string]core.PersonID{}
	m.people, m.links = people(), map[string]core.PersonID{}
	for id := range m.people {
		m.logins["token-"+string(id)] = id
	}
	m.tasks = map[core.TaskID]core.Task{"t-1": {ID: "t-1", State: core.Working, Agents: []core.AgentName{"sasha"}, Origin: core.Origin{Person: "owner"}}}
	o := Options{MayUse: m.MayUse, CheckRate: m.CheckRate, Logins: m, Runner: m.runner(), Ready: m.Ready, Person: "owner", Key: testKey, Installation: "test",
		Card: func(_ context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor) {
			fmt.Fprintf(w, "%s for %s.", r.URL, by.Person)
		},
		Doors: map[string]Door{"/a2a/": func(_ context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor) {
			fmt.Fprint(w, r.URL, " ", by.Person)
		}, "/mcp": func(stopping context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor) {
			if r.URL.RawQuery == "wait" {
				<-stopping.Done()
			}
			fmt.Fprintln(w, by.Person)
		}, "/v1/": func(_ context.Context, w http.ResponseWriter, _ *http.Request, by actor.Actor) {
			fmt.Fprintln(w, by.Person)
		}}}
	if change != nil {
		change(&o)
	}
	o.Runner.Beat = o.Beat
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
