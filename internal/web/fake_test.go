package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"errand"
	"errand/internal/metrics"
	"errand/internal/rights"
	"errand/internal/service"
)

type memory struct {
	mu      sync.Mutex
	log     []errand.Event
	subs    []chan errand.Event
	tasks   map[errand.TaskID]errand.Task
	seen    map[string]int64 // message id → id of its event
	reply   bool             // answer each message at once
	broken  error
	tooFast error

	people map[errand.PersonID]service.Person
	logins map[string]errand.PersonID // token → whose it is
	links  map[string]errand.PersonID
	asking map[string]string // secret → state
	asked  []string          // what the backend was asked for, "function person"
	nobody atomic.Int64      // how often a token was nobody's
	waited func()            // what happens while a task is awaited
	given  []service.Delegation
	pushes []service.PushSubscription
	asks   service.Actor // who has asked last for the audit log
}

func (m *memory) add(e errand.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Type != errand.EventDelta {
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

func (m *memory) AllowMessage(service.Actor, errand.Account) error { return m.tooFast }
func (m *memory) CheckRate(service.Actor, errand.Account) error    { return m.tooFast }

func (m *memory) conversations() service.Conversations {
	return service.Conversations{Log: m, Intake: m, Poll: 10 * time.Millisecond}
}

func (m *memory) Converse(ctx context.Context, by service.Actor, route errand.Route, in service.Message) (*service.Conversation, error) {
	return m.conversations().Converse(ctx, by, route, in)
}

func (m *memory) Follow(ctx context.Context, by service.Actor, key errand.SessionKey, r service.Reading, send func(errand.Event) error) error {
	return m.conversations().Follow(ctx, by, key, r, send)
}

func (m *memory) AcceptMessage(_ context.Context, by service.Actor, route errand.Route, in service.Message) (service.Accepted, error) {
	if m.broken != nil {
		return service.Accepted{}, m.broken
	}
	if strings.TrimSpace(in.Text) == "" {
		return service.Accepted{}, &service.Error{Kind: service.KindInvalid, Code: "empty", Message: "the message is empty"}
	}
	m.note("Accept", string(errand.NewSessionKey(route, by.Person))+" "+string(by.Role))
	out := service.Accepted{MessageID: in.ID}
	if strings.HasPrefix(in.Text, "/") {
		out.Answer = "command"
		return out, nil
	}
	if _, out.Duplicate = m.seen[in.ID]; out.Duplicate {
		return out, nil
	}
	m.seen[in.ID] = int64(len(m.log) + 1)
	m.add(errand.Event{Type: errand.EventMessage, Text: in.Text, Message: in.ID})
	if m.reply {
		m.add(errand.Event{Type: errand.EventDelta, Text: "you "})
		m.add(errand.Event{Type: errand.EventTask, Task: "t-1", State: errand.Submitted})
		if strings.HasSuffix(in.Text, "?") {
			m.add(errand.Event{Type: errand.EventQuestion, Agent: "nikki", Session: "s", Turn: 1, Text: "shall I?", Options: []string{"yes", "no"}})
			return out, nil
		}
		m.add(errand.Event{Type: errand.EventReply, Agent: "nikki", Session: "s", Turn: 1, Text: "you said " + in.Text})
	}
	return out, nil
}

func (m *memory) Events(_ context.Context, _ service.Actor, _ errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rest := m.log[min(int(after), len(m.log)):]
	return append([]errand.Event(nil), rest[:min(len(rest), limit)]...), nil
}

func (m *memory) LastEvents(ctx context.Context, by service.Actor, key errand.SessionKey, n int) ([]errand.Event, error) {
	m.note("Events", key)
	return m.Events(ctx, by, key, int64(max(0, len(m.log)-n)), n)
}

func (m *memory) EventsBefore(_ context.Context, _ service.Actor, key errand.SessionKey, before int64, n int) ([]errand.Event, error) {
	m.note("Events", key)
	end := min(int(before)-1, len(m.log))
	return append([]errand.Event(nil), m.log[max(0, end-n):end]...), nil
}

func (m *memory) Live() bool { return true }

func (m *memory) Join(ctx context.Context, by service.Actor, key errand.SessionKey) (<-chan errand.Event, func(), error) {
	return m.Subscribe(ctx, by, key)
}

func (m *memory) MessageEvent(_ context.Context, _ service.Actor, _ errand.SessionKey, id string) (int64, error) {
	return m.seen[id], nil
}

func (m *memory) Answers(_ context.Context, _ service.Actor, e errand.Event, _ errand.SessionKey, id string) (bool, error) {
	return (e.Type == errand.EventReply || e.Type == errand.EventQuestion) && e.ID > m.seen[id], nil
}

func (m *memory) Subscribe(_ context.Context, by service.Actor, key errand.SessionKey) (<-chan errand.Event, func(), error) {
	if _, person, err := key.Parse(); err != nil || person != by.Person {
		if err := others(by, rights.OthersRead); err != nil {
			return nil, nil, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := make(chan errand.Event, 100)
	m.subs = append(m.subs, c)
	return c, func() {}, nil
}

func (m *memory) Tasks(_ context.Context, by service.Actor, f service.TaskFilter) ([]errand.Task, error) {
	person, err := whose(by, f.Person)
	if err != nil {
		return nil, err
	}
	m.note("Tasks", strings.TrimSpace(string(person)+" "+string(f.Key)))
	var list []errand.Task
	for _, t := range m.tasks {
		list = append(list, t)
	}
	return list, nil
}

func (m *memory) FindTask(_ context.Context, by service.Actor, prefix string, person errand.PersonID) (errand.Task, error) {
	person, err := whose(by, person)
	if err != nil {
		return errand.Task{}, err
	}
	m.note("FindTask", string(person)+" "+prefix)
	t, ok := m.tasks[errand.TaskID(prefix)]
	if !ok || person != "" && t.Origin.Person != person {
		return t, &service.Error{Kind: service.KindNotFound, Code: "not_found", Message: "no task " + prefix}
	}
	return t, nil
}

func (m *memory) AwaitTask(ctx context.Context, by service.Actor, prefix string, person errand.PersonID, atMost time.Duration, before func(int) error) (errand.Task, error) {
	if _, err := whose(by, person); err != nil {
		return errand.Task{}, err
	}
	m.note("AwaitTask", prefix+" "+atMost.String())
	t, err := m.FindTask(ctx, by, prefix, person)
	if m.waited == nil || err != nil {
		return t, err
	}
	m.waited()
	return t, before(1)
}

func (m *memory) Delegate(_ context.Context, by service.Actor, d service.Delegation) (errand.Task, error) {
	m.note("Delegate", string(by.Person)+" "+string(by.Role))
	m.given = append(m.given, d)
	return errand.Task{ID: "t-2", Agents: d.Agents, Text: d.Text, Origin: errand.Origin{Route: d.Route}}, nil
}

func (m *memory) CancelTask(_ context.Context, by service.Actor, id errand.TaskID, reason string) (errand.Task, error) {
	t := m.tasks[id]
	if err := others(by, rights.OthersChange); err != nil && t.Origin.Person != by.Person {
		return t, err
	}
	m.note("CancelTask", string(id))
	t.State, t.Error = errand.Canceled, reason
	return t, nil
}

func (m *memory) RetryTask(_ context.Context, by service.Actor, id errand.TaskID) (errand.Task, error) {
	if err := others(by, rights.OthersChange); err != nil && m.tasks[id].Origin.Person != by.Person {
		return errand.Task{}, err
	}
	return errand.Task{ID: "t-3", RetryOf: id}, nil
}

func (m *memory) SteerTask(_ context.Context, by service.Actor, id errand.TaskID, in service.Steering) (service.Steered, error) {
	t := m.tasks[id]
	if err := others(by, rights.OthersChange); err != nil && t.Origin.Person != by.Person {
		return service.Steered{}, err
	}
	m.note("SteerTask", string(id)+" "+in.Text)
	t.Added++
	return service.Steered{Task: t}, nil
}

func (m *memory) ContinueTask(_ context.Context, by service.Actor, id errand.TaskID, in service.Steering) (errand.Task, error) {
	if err := others(by, rights.OthersChange); err != nil && m.tasks[id].Origin.Person != by.Person {
		return errand.Task{}, err
	}
	m.note("ContinueTask", string(id)+" "+in.Text+" "+in.Route.Chat)
	return errand.Task{ID: "t-4", Continues: id, Agents: m.tasks[id].Agents}, nil
}

func (m *memory) Outbox(context.Context, service.Actor, []errand.OutboxState, service.Page) ([]errand.Notification, error) {
	return nil, nil
}
func (m *memory) RetryOutbox(context.Context, service.Actor, int64) error   { return nil }
func (m *memory) DismissOutbox(context.Context, service.Actor, int64) error { return nil }
func (m *memory) NewSession(_ context.Context, _ service.Actor, key errand.SessionKey, agent errand.AgentName, _ string) (errand.SessionID, error) {
	m.note("NewSession", strings.TrimSpace(string(key)+" "+string(agent)))
	return "s2", nil
}
func (m *memory) AgentsFor(_ context.Context, by service.Actor, key errand.SessionKey) ([]service.AgentView, error) {
	m.note("AgentsFor", string(by.Person)+" "+string(key))
	return []service.AgentView{{Name: "nikki", Primary: true}}, nil
}
func (m *memory) Pause(context.Context, service.Actor) error          { return nil }
func (m *memory) Resume(context.Context, service.Actor) error         { return nil }
func (m *memory) Paused(context.Context, service.Actor) (bool, error) { return false, nil }
func (m *memory) Numbers(context.Context, service.Actor) (metrics.Installation, error) {
	known := metrics.Installation{Counts: &metrics.Counts{OpenTasks: map[string]int{"working": len(m.tasks)}}}
	for _, c := range connections() {
		known.Connections = append(known.Connections, metrics.Connection{Channel: c.Channel, Account: c.Account,
			State: strings.ReplaceAll(string(c.State), " ", "_"), States: []string{"connected", "logged_out"}})
	}
	return known, nil
}

func (m *memory) ModelStates(context.Context, service.Actor) ([]errand.ModelState, error) {
	return []errand.ModelState{{Model: "default", OK: true}}, nil
}

func (m *memory) CheckModels(ctx context.Context, by service.Actor) ([]errand.ModelState, error) {
	return m.ModelStates(ctx, by)
}
func (m *memory) CheckRemoteAgents(context.Context, service.Actor) ([]errand.RemoteAgentState, error) {
	return []errand.RemoteAgentState{{Agent: "coder", OK: true}}, nil
}

func (m *memory) MCPServers(context.Context, service.Actor) ([]service.MCPServer, error) {
	return []service.MCPServer{{Name: "sim", Wire: "stdio", State: "connected", Tools: []service.MCPTool{}}}, nil
}
func (m *memory) TryMCPTool(_ context.Context, _ service.Actor, server, tool string, args json.RawMessage) (string, error) {
	return server + " " + tool + " " + string(args), nil
}
func (m *memory) Ready(context.Context) error { return m.broken }

// The people of the fake, one of each role.
func people() map[errand.PersonID]service.Person {
	out := map[errand.PersonID]service.Person{}
	for id, role := range map[errand.PersonID]errand.Role{"owner": errand.MasterAdmin, "p-pat": errand.Partner, "p-mia": errand.Member, "p-gus": errand.Guest} {
		out[id] = service.Person{ID: id, Role: role, Name: string(id)}
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

// handle is serve without a network.
func handle(t testing.TB, m *memory, change func(*Options)) http.Handler {
	t.Helper()
	return newServer(t, m, change).Handler()
}

func newServer(t testing.TB, m *memory, change func(*Options)) *Server {
	t.Helper()
	m.seen, m.asking, m.logins = map[string]int64{}, map[string]string{}, map[string]errand.PersonID{}
	m.people, m.links = people(), map[string]errand.PersonID{}
	for id := range m.people {
		m.logins["token-"+string(id)] = id
	}
	m.tasks = map[errand.TaskID]errand.Task{"t-1": {ID: "t-1", State: errand.Working, Agents: []errand.AgentName{"sasha"}, Origin: errand.Origin{Person: "owner"}}}
	o := Options{Backend: m, Person: "owner", Key: testKey, Installation: "test", ReplyTimeout: 200 * time.Millisecond,
		Card: func(_ context.Context, w http.ResponseWriter, r *http.Request, by service.Actor) {
			fmt.Fprintf(w, "%s for %s.", r.URL, by.Person)
		},
		Doors: map[string]Door{"/a2a/": func(_ context.Context, w http.ResponseWriter, r *http.Request, by service.Actor) {
			fmt.Fprint(w, r.URL, " ", by.Person)
		}, "/mcp": func(stopping context.Context, w http.ResponseWriter, r *http.Request, by service.Actor) {
			if r.URL.RawQuery == "wait" {
				<-stopping.Done()
			}
			fmt.Fprintln(w, by.Person)
		}, "/v1/": func(_ context.Context, w http.ResponseWriter, _ *http.Request, by service.Actor) {
			fmt.Fprintln(w, by.Person)
		}}}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
