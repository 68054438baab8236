package commands

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
	"errand/workflows"
)

func (r *Runner) reset(ctx context.Context, c chat, _ []string) (string, error) {
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	if _, err := r.service.NewSession(ctx, c.by, c.key, "", c.id); err != nil {
		return "", err
	}
	return c.Localize("reset.done"), nil
}

// newSession begins a session, with the agent that is named.
func (r *Runner) newSession(ctx context.Context, c chat, words []string) (string, error) {
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	agent := r.service.RosterOf(c.key).Primary().Name
	if len(words) > 0 {
		agent = parseAgent(words[0])
	}
	if _, err := r.service.NewSession(ctx, c.by, c.key, agent, c.id); err != nil {
		return "", r.noAgent(c, string(agent), err)
	}
	return c.Localize("new.done", "agent", agent.Display()), nil
}

func (r *Runner) status(ctx context.Context, c chat, _ []string) (string, error) {
	s, err := r.service.Status(ctx, c.by, c.key)
	if err != nil {
		return "", err
	}
	lines := []string{
		c.Localize("status.agent", "agent", s.Agent.Display(), "model", s.Model),
		r.leads(c, s),
	}
	if p := s.Plan; p != nil {
		lines = append(lines, c.Localize("status.plan", "agent", p.Agent.Display(), "done", strconv.Itoa(p.Done()), "count", strconv.Itoa(len(p.Items))), p.List())
	}
	lines = append(lines, c.Localize("status.tasks", "count", strconv.Itoa(len(s.OpenTasks))))
	for _, w := range s.Waiting {
		who := c.Localize("status.waits", "person", w.Name)
		if w.Person == c.by.Person {
			who = c.Localize("status.waits_for_you")
		}
		lines = append(lines, who+" "+c.questionLine(w.Question))
	}
	lines = append(lines, c.Localize("status.here", "amount", c.amount(s.Spent)))
	if !c.open { // in all their chats
		lines = append(lines, c.Localize("status.today", "amount", c.amount(s.Today)))
	}
	return strings.Join(append(lines, c.Localize("status.session", "session", cmp.Or(string(s.Session), c.Localize("status.none")))), "\n"), nil
}

func (r *Runner) leads(c chat, s service.StatusView) string {
	primary := r.service.RosterOf(c.key).Primary().Name
	args := []string{"agent", s.Agent.Display(), "primary", primary.Display(), "until", r.clock(c, s.StickyUntil)}
	switch {
	case s.Agent == primary:
		return c.Localize("status.primary", args...)
	case s.StickyUntil.IsZero():
		return c.Localize("status.stays", args...)
	case s.StickyUntil.After(r.service.Now()):
		return c.Localize("status.sticky", args...)
	}
	return c.Localize("status.expired", args...)
}

func (c chat) amount(a store.Amount) string {
	text := c.spent(a)
	if a.Cached > 0 {
		text = c.Localize("amount.cached", "amount", text, "cached", c.Number(float64(a.Cached), 0))
	}
	return text
}

func (c chat) spent(a store.Amount) string {
	calls, tokens := c.Number(float64(a.Calls), 0), c.Number(float64(a.Tokens), 0)
	switch {
	case a.Cost <= 0:
		return c.Localize("amount.free", "calls", calls, "tokens", tokens)
	case a.Cost < 0.01:
		return c.Localize("amount.small", "calls", calls, "tokens", tokens)
	}
	return c.Localize("amount", "calls", calls, "tokens", tokens, "cost", c.Number(a.Cost, 2))
}

const (
	lastMessages = 5   // that /history shows
	lineOfThem   = 200 // characters of each
)

// history tells who said how much in this session, and the last messages: all,
// or those of one agent.
func (r *Runner) history(ctx context.Context, c chat, words []string) (string, error) {
	var agent errand.AgentName
	if len(words) > 0 {
		agent = parseAgent(words[0])
	}
	counts, last, err := r.service.History(ctx, c.by, c.key, agent, lastMessages)
	if err != nil {
		return "", err
	}
	if len(last) == 0 && agent != "" {
		if !r.knows(c, agent) {
			return "", r.unknownAgent(c, words[0])
		}
		return c.Localize("history.none_of", "agent", agent.Display()), nil
	}
	if len(last) == 0 {
		return c.Localize("history.none"), nil
	}
	lines := []string{c.Localize("history.counts", "counts", c.countsText(counts)), c.Localize("history.last")}
	for _, m := range last {
		lines = append(lines, c.Localize("history.line", "time", r.clock(c, m.Created), "who", c.who(m.Agent), "text", oneLine(m.Text, lineOfThem)))
	}
	return strings.Join(lines, "\n"), nil
}

func (c chat) countsText(counts []service.AgentCount) string {
	list := make([]string, len(counts))
	for i, n := range counts {
		list[i] = c.Localize("history.count", "who", c.who(n.Agent), "count", strconv.Itoa(n.Messages))
	}
	return strings.Join(list, ", ")
}

// who is whoever wrote a message: an agent, or the person.
func (c chat) who(agent errand.AgentName) string {
	if agent == "" {
		if c.key.Shared() {
			return c.Localize("history.people")
		}
		return c.Localize("history.you")
	}
	return agent.Display()
}

func (r *Runner) clock(c chat, t time.Time) string {
	return c.Moment(t.In(r.service.ZoneOf(c.by)), r.service.Now())
}

func oneLine(text string, most int) string {
	return errand.Cut(strings.Join(strings.Fields(text), " "), most)
}

func (r *Runner) busy(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		mode, err := r.service.BusyMode(ctx, c.by, c.key)
		if err != nil {
			return "", err
		}
		return c.Localize("busy.now", "mode", string(mode), "meaning", c.Localize("busy."+string(mode))), nil
	}
	mode := workflows.BusyMode(strings.ToLower(words[0]))
	if !mode.Valid() {
		return c.Localize("busy.unknown", "mode", errand.Cut(words[0], 40), "modes", strings.Join(errand.Strings([]workflows.BusyMode{workflows.Collect, workflows.Steer, workflows.Queue, workflows.Interrupt}), ", ")), nil
	}
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	// The mode is in the id: a message that is edited may ask for another.
	if err := r.service.SetBusy(ctx, c.by, c.key, "busy:"+string(mode)+":"+c.id, mode); err != nil {
		return "", err
	}
	return c.Localize("busy.set", "mode", string(mode), "meaning", c.Localize("busy."+string(mode))), nil
}
