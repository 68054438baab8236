package web

import (
	"context"
	"fmt"
	"time"

	"errand"
	"errand/internal/gateway"
)

// The part of the fake that knows sessions, reminders and upkeep: it notes what
// it was asked for.

func (m *memory) Sessions(_ context.Context, by gateway.Actor, f gateway.SessionFilter) (list []gateway.Session, err error) {
	if f.Person, err = m.Whose(by, f.Person); err != nil {
		return nil, err
	}
	m.note("Sessions", fmt.Sprintf("%s|%s|%s|%s|%d", f.Person, f.Channel, f.Agent, f.State, f.Limit))
	return nil, nil
}

func (m *memory) Search(_ context.Context, by gateway.Actor, text string, f gateway.SessionFilter) (list []gateway.Hit, err error) {
	if f.Person, err = m.Whose(by, f.Person); err != nil {
		return nil, err
	}
	m.note("Search", text+"|"+string(f.Person))
	return nil, nil
}

func (m *memory) FindSession(context.Context, gateway.Actor, string) (gateway.Session, error) {
	return gateway.Session{}, nil
}

func (m *memory) Notes(_ context.Context, by gateway.Actor, f gateway.NoteFilter) (list []gateway.Note, err error) {
	if f.Person, err = m.Whose(by, f.Person); err != nil {
		return nil, err
	}
	m.note("Notes", fmt.Sprintf("%s|%s|%s|%d", f.Person, f.Agent, f.Prefix, f.Limit))
	return nil, nil
}

func (m *memory) ForgetNote(_ context.Context, _ gateway.Actor, person errand.PersonID, agent errand.AgentName, key string) error {
	m.note("ForgetNote", fmt.Sprintf("%s|%s|%s", person, agent, key))
	return nil
}

func (m *memory) Export(_ context.Context, by gateway.Actor, id errand.SessionID) (gateway.Export, error) {
	m.note("Export", string(by.Person)+"|"+string(id))
	return gateway.Export{Session: gateway.Session{ID: id}, Messages: []errand.Message{{Text: "night trains", Speaker: errand.FromPerson}}}, nil
}

func (m *memory) Artifact(_ context.Context, by gateway.Actor, id errand.ArtifactID) (gateway.Artifact, []byte, error) {
	m.note("Artifact", string(by.Person)+"|"+string(id))
	return gateway.Artifact{ID: id, Name: `f"ü.html`, Type: "text/html"}, []byte("<script>alert(1)</script>"), nil
}

func (m *memory) DeleteSession(_ context.Context, by gateway.Actor, id errand.SessionID, force bool) (gateway.Deleted, error) {
	m.note("DeleteSession", fmt.Sprintf("%s|%s|%v", by.Person, id, force))
	return gateway.Deleted{Session: id, Rows: map[string]int{"messages": 2}, Histories: 1}, nil
}

func (m *memory) Usage(_ context.Context, by gateway.Actor, person errand.PersonID, _ time.Time) (list []gateway.UsageSum, err error) {
	if person, err = m.Whose(by, person); err != nil {
		return nil, err
	}
	m.note("Usage", person)
	return []gateway.UsageSum{{Person: person, Calls: 2, Cost: 0.5}, {Person: person, Calls: 1}}, nil
}

func (m *memory) Reminders(_ context.Context, by gateway.Actor, all bool) ([]gateway.Reminder, error) {
	m.note("Reminders", fmt.Sprintf("%s|%v", by.Person, all))
	return nil, nil
}

func (m *memory) Remind(_ context.Context, _ gateway.Actor, key errand.SessionKey, when, text string) (gateway.Reminder, error) {
	m.note("Remind", string(key)+"|"+when+"|"+text)
	return gateway.Reminder{}, nil
}

func (m *memory) CancelReminder(_ context.Context, by gateway.Actor, prefix string) (gateway.Reminder, error) {
	m.note("CancelReminder", string(by.Person)+"|"+prefix)
	return gateway.Reminder{}, nil
}

func (m *memory) Maintenance(context.Context, gateway.Actor, int) ([]gateway.UpkeepRun, error) {
	return []gateway.UpkeepRun{{ID: "u-1", Done: map[string]int{"messages": 120}}}, nil
}

func (m *memory) Connections(_ context.Context, by gateway.Actor) ([]gateway.ConnectionView, error) {
	m.note("Connections", by.Person)
	return m.ConnectionStates(context.Background())
}

func (m *memory) LinkCode(_ context.Context, by gateway.Actor, a errand.Account, phone string) (string, error) {
	m.note("LinkCode", string(by.Person)+"|"+a.String()+"|"+phone)
	return "ABCD-EFGH", nil
}

func (m *memory) ConnectionStates(context.Context) ([]gateway.ConnectionView, error) {
	return []gateway.ConnectionView{
		{Channel: "telegram", Account: "main", Agent: "nikki", State: errand.Connected, Detail: "as @errand_bot", Owner: "host:1:ab"},
		{Channel: "whatsapp", Account: "main", Agent: "nikki", State: errand.LoggedOut, Advice: "scan the code", Link: "2@abcdef"},
	}, nil
}

func (m *memory) RunMaintenance(_ context.Context, by gateway.Actor) error {
	m.note("RunMaintenance", by.Person)
	return nil
}
