package web

import (
	"context"
	"fmt"
	"time"

	"errand"
	"errand/internal/service"
)

// The part of the fake that knows sessions, reminders and upkeep: it notes what
// it was asked for.

func (m *memory) Sessions(_ context.Context, by service.Actor, f service.SessionFilter) (list []service.Session, err error) {
	if f.Person, err = whose(by, f.Person); err != nil {
		return nil, err
	}
	m.note("Sessions", fmt.Sprintf("%s|%s|%s|%s|%d", f.Person, f.Channel, f.Agent, f.State, f.Limit))
	if f.Key == "" {
		return nil, nil
	}
	return []service.Session{{ID: "5f", Key: f.Key, Person: f.Person, Turns: 3, Plan: &errand.Plan{Agent: "nikki", Turn: 3,
		Items: []errand.PlanItem{{Text: "in " + string(f.Key), State: errand.PlanDoing}}}}}, nil
}

func (m *memory) Search(_ context.Context, by service.Actor, text string, f service.SessionFilter) (list []service.Hit, err error) {
	if f.Person, err = whose(by, f.Person); err != nil {
		return nil, err
	}
	m.note("Search", text+"|"+string(f.Person))
	return nil, nil
}

func (m *memory) Notes(_ context.Context, by service.Actor, f service.NoteFilter) (list []service.Note, err error) {
	if f.Person, err = whose(by, f.Person); err != nil {
		return nil, err
	}
	m.note("Notes", fmt.Sprintf("%s|%s|%s|%d", f.Person, f.Agent, f.Prefix, f.Limit))
	return nil, nil
}

func (m *memory) ForgetNote(_ context.Context, _ service.Actor, person errand.PersonID, agent errand.AgentName, key string) error {
	m.note("ForgetNote", fmt.Sprintf("%s|%s|%s", person, agent, key))
	return nil
}

func (m *memory) Export(_ context.Context, by service.Actor, id errand.SessionID) (service.Export, error) {
	m.note("Export", string(by.Person)+"|"+string(id))
	return service.Export{Session: service.Session{ID: id}, Messages: []errand.Message{{Text: "night trains", Speaker: errand.FromPerson}}}, nil
}

func (m *memory) TurnCalls(_ context.Context, by service.Actor, id errand.SessionID, turn int) ([]service.TurnCall, error) {
	m.note("TurnCalls", fmt.Sprintf("%s|%s|%d", by.Person, id, turn))
	return []service.TurnCall{{Step: 1, Index: 1, Tool: "web_search", Arguments: `{"query":"trains"}`, Result: "<b>two</b>"}}, nil
}

func (m *memory) Artifact(_ context.Context, by service.Actor, id errand.ArtifactID) (service.Artifact, []byte, error) {
	m.note("Artifact", string(by.Person)+"|"+string(id))
	return service.Artifact{ID: id, Name: `f"ü.html`, Type: "text/html"}, []byte("<script>alert(1)</script>"), nil
}

func (m *memory) DeleteSession(_ context.Context, by service.Actor, id errand.SessionID, force bool) (service.Deleted, error) {
	m.note("DeleteSession", fmt.Sprintf("%s|%s|%v", by.Person, id, force))
	return service.Deleted{Session: id, Rows: map[string]int{"messages": 2}, Histories: 1}, nil
}

func (m *memory) Usage(_ context.Context, by service.Actor, person errand.PersonID, _ time.Time) (list []service.UsageSum, err error) {
	if person, err = whose(by, person); err != nil {
		return nil, err
	}
	m.note("Usage", person)
	return []service.UsageSum{{Person: person, Calls: 2, Cost: 0.5}, {Person: person, Calls: 1}}, nil
}

func (m *memory) Reminders(_ context.Context, by service.Actor, all bool, _ service.Page) ([]service.Reminder, error) {
	m.note("Reminders", fmt.Sprintf("%s|%v", by.Person, all))
	return nil, nil
}

func (m *memory) Remind(_ context.Context, _ service.Actor, key errand.SessionKey, when, text string) (service.Reminder, error) {
	m.note("Remind", string(key)+"|"+when+"|"+text)
	return service.Reminder{}, nil
}

func (m *memory) CancelReminder(_ context.Context, by service.Actor, prefix string) (service.Reminder, error) {
	m.note("CancelReminder", string(by.Person)+"|"+prefix)
	return service.Reminder{}, nil
}

func (m *memory) Maintenance(context.Context, service.Actor, int) ([]service.UpkeepRun, error) {
	return []service.UpkeepRun{{ID: "u-1", Done: map[string]int{"messages": 120}}}, nil
}

func (m *memory) Connections(_ context.Context, by service.Actor) ([]service.ConnectionView, error) {
	m.note("Connections", by.Person)
	return connections(), nil
}

func (m *memory) LinkCode(_ context.Context, by service.Actor, a errand.Account, phone string) (string, error) {
	m.note("LinkCode", string(by.Person)+"|"+a.String()+"|"+phone)
	return "ABCD-EFGH", nil
}

func connections() []service.ConnectionView {
	return []service.ConnectionView{
		{Channel: "telegram", Account: "main", Agent: "nikki", State: errand.Connected, Detail: "as @errand_bot", Owner: "host:1:ab"},
		{Channel: "whatsapp", Account: "main", Agent: "nikki", State: errand.LoggedOut, Advice: "scan the code", Link: "2@abcdef"},
	}
}

func (m *memory) RunMaintenance(_ context.Context, by service.Actor) error {
	m.note("RunMaintenance", by.Person)
	return nil
}
