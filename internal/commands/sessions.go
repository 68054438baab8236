package commands

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
)

func (r *Runner) reset(ctx context.Context, c chat, _ []string) (string, error) {
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	if err := r.begin(ctx, c, ""); err != nil {
		return "", err
	}
	return c.Localize("reset.done"), nil
}

func (r *Runner) newSession(ctx context.Context, c chat, words []string) (string, error) {
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	agent := r.deps.RosterOf(c.key).Primary().Name
	if len(words) > 0 {
		agent = parseAgent(words[0])
	}
	if err := r.begin(ctx, c, agent); err != nil {
		return "", r.noAgent(c, string(agent), err)
	}
	return c.Localize("new.done", "agent", agent.Display()), nil
}

// begin starts a session, with an agent unless it is empty.
func (r *Runner) begin(ctx context.Context, c chat, agent core.AgentName) error {
	in := api.ResetChatInput{ConversationKey: c.conversation()}
	in.Body.Agent, in.Body.MessageID = string(agent), c.id
	_, err := ops.Do(ctx, r.deps.Runner, api.ResetChat, c.by, in)
	return err
}

func (r *Runner) status(ctx context.Context, c chat, _ []string) (string, error) {
	s, err := ops.Do(ctx, r.deps.Runner, api.GetChatStatus, c.by, c.conversation())
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
	if !c.open { // the sum of all their chats
		lines = append(lines, c.Localize("status.today", "amount", c.amount(s.Today)))
	}
	return strings.Join(append(lines, c.Localize("status.session", "session", cmp.Or(string(s.Session), c.Localize("status.none")))), "\n"), nil
}

func (r *Runner) leads(c chat, s api.ChatStatus) string {
	primary := r.deps.RosterOf(c.key).Primary().Name
	args := []string{"agent", s.Agent.Display(), "primary", primary.Display(), "until", r.clock(c, s.StickyUntil)}
	switch {
	case s.Agent == primary:
		return c.Localize("status.primary", args...)
	case s.StickyUntil.IsZero():
		return c.Localize("status.stays", args...)
	case s.StickyUntil.After(r.deps.Now()):
		return c.Localize("status.sticky", args...)
	}
	return c.Localize("status.expired", args...)
}

func (c chat) amount(a api.Amount) string {
	text := c.spent(a)
	if a.Cached > 0 {
		text = c.Localize("amount.cached", "amount", text, "cached", c.Number(float64(a.Cached), 0))
	}
	return text
}

func (c chat) spent(a api.Amount) string {
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
	maxShown   = 5   // messages that /history shows
	lineOfThem = 200 // characters of each message
)

func (r *Runner) history(ctx context.Context, c chat, words []string) (string, error) {
	var agent core.AgentName
	if len(words) > 0 {
		agent = parseAgent(words[0])
	}
	told, err := ops.Do(ctx, r.deps.Runner, api.GetChatHistory, c.by, api.ChatHistoryInput{ConversationKey: c.conversation(), Agent: agent, Limit: maxShown})
	if err != nil {
		return "", err
	}
	if len(told.Last) == 0 && agent != "" {
		if !r.knows(c, agent) {
			return "", r.unknownAgent(c, words[0])
		}
		return c.Localize("history.none_of", "agent", agent.Display()), nil
	}
	if len(told.Last) == 0 {
		return c.Localize("history.none"), nil
	}
	lines := []string{c.Localize("history.counts", "counts", c.countsText(told.Counts)), c.Localize("history.last")}
	for _, m := range told.Last {
		lines = append(lines, c.Localize("history.line", "time", r.clock(c, m.Created), "who", c.who(m.Agent), "text", oneLine(m.Text, lineOfThem)))
	}
	return strings.Join(lines, "\n"), nil
}

func (c chat) countsText(counts []api.AgentCount) string {
	list := make([]string, len(counts))
	for i, n := range counts {
		list[i] = c.Localize("history.count", "who", c.who(n.Agent), "count", strconv.Itoa(n.Messages))
	}
	return strings.Join(list, ", ")
}

func (c chat) who(agent core.AgentName) string {
	if agent == "" {
		if c.key.Shared() {
			return c.Localize("history.people")
		}
		return c.Localize("history.you")
	}
	return agent.Display()
}

func (r *Runner) clock(c chat, t time.Time) string {
	return c.Moment(t.In(r.deps.ZoneOf(c.by)), r.deps.Now())
}

func oneLine(text string, most int) string {
	return core.Cut(strings.Join(strings.Fields(text), " "), most)
}

func (r *Runner) busy(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		mode, err := ops.Do(ctx, r.deps.Runner, api.GetBusyMode, c.by, c.conversation())
		if err != nil {
			return "", err
		}
		return c.Localize("busy.now", "mode", mode, "meaning", c.Localize("busy."+mode)), nil
	}
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	mode := strings.ToLower(words[0])
	// The mode is part of the id, because an edit of the message may ask for another mode.
	_, err := ops.Do(ctx, r.deps.Runner, api.SetBusyMode, c.by, api.SetBusyModeInput{ConversationKey: c.conversation(), ID: "busy:" + mode + ":" + c.id, Mode: mode})
	if err != nil {
		return "", err
	}
	return c.Localize("busy.set", "mode", mode, "meaning", c.Localize("busy."+mode)), nil
}
