package activities

import (
	"cmp"
	"time"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/when"
)

func note(b *store.StepInput, now time.Time, zone *time.Location) string {
	return prompt.Note{
		Now: now, Zone: zone, Agent: b.Agent, TakenOverFrom: b.TakenOverFrom, DeclinedAgent: b.DeclinedAgent,
		Session: b.Session, Route: b.Route, Group: b.Group, Tasks: b.OpenTasks, Questions: b.Questions,
		Plan: b.Plan, PlanEarlier: b.Task == nil && b.Plan.Turn < b.Key.Turn,
		Keys: b.Notes, Unread: b.Unread, UnreadPrefix: store.NotificationsPrefix,
	}.Text(b.Nonce)
}

// zoneOf returns the zone of times that a person or an agent writes without one: the person's or,
// in a group, the installation's. remind_me uses the same zone.
func (p *Prompter) zoneOf(b *store.StepInput) *time.Location {
	house := cmp.Or(p.zone, time.UTC)
	if b.Group {
		return house
	}
	return when.ZoneOr(b.TimeZone, house)
}

func messages(b *store.StepInput) []core.Message {
	if b.Summary == "" {
		return b.Transcript
	}
	first := core.Message{Speaker: core.FromPerson, Text: b.Nonce.Block("summary", prompt.Without(b.Nonce, b.Summary))}
	return append([]core.Message{first}, b.Transcript...)
}
