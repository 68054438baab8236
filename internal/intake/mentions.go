package intake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/internal/core"
)

// A Mention is a mention in a text that the platform has marked.
type Mention struct {
	ID   string // the platform's id, number or account name
	Text string // the mention in the text
}

// nameAgents replaces the mentions of accounts in a /team message by the names of their agents.
// another reports that a different account handles the message: in a group, the text starts with
// that account, and it is connected. If it is not connected, this account handles the message.
func (i *Intake) nameAgents(ctx context.Context, in *Inbound) (another bool, err error) {
	if len(in.Mentions) == 0 || !strings.Contains(strings.ToLower(in.Text), core.TeamCommand) {
		return false, nil
	}
	handles, err := i.deps.Store.Handles(ctx, in.Route.Channel)
	if err != nil {
		return false, err
	}
	// Longest first, because a name may be the prefix of another one.
	list := slices.SortedFunc(slices.Values(in.Mentions), func(a, b Mention) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	for _, m := range list {
		at, ok := handles[strings.ToLower(m.ID)]
		if !ok {
			continue
		}
		agent := i.agentOf(at)
		if agent == "" {
			continue
		}
		name := "@" + string(agent)
		in.Text = renamed(in.Text, m.Text, name)
		if rest, begins := strings.CutPrefix(strings.TrimSpace(in.Text), name); begins && in.Group && at != in.Route.At() {
			call, ok := core.ParseTeamCall(strings.TrimLeft(strings.TrimSpace(rest), ",:;"))
			if !another && ok && call.Before == "" {
				if another, err = i.receives(ctx, at); err != nil {
					return false, err
				}
				if !another { // this account handles it, as a call of colleagues
					in.Text = strings.TrimLeft(strings.TrimSpace(rest), ",:; ")
				}
			}
		}
	}
	return another, nil
}

// isTaken reports whether another of errand's accounts has handled a /team message of a group.
// Several accounts may receive it, and only the first carries it out. Message ids may differ
// between accounts, so it compares time and task.
func (i *Intake) isTaken(ctx context.Context, in Inbound) (bool, error) {
	call, ok := core.ParseTeamCall(in.Text)
	if !ok || !in.Group || in.Sent.IsZero() || in.Deleted {
		return false, nil
	}
	several := false
	for _, a := range i.deps.Accounts {
		several = several || a.Channel == in.Route.Channel && a.Account != in.Route.At()
	}
	if !several {
		return false, nil
	}
	sum := sha256.Sum256([]byte(call.Task))
	by, err := i.deps.Store.TakeCall(ctx, in.Route, in.Sent, hex.EncodeToString(sum[:]))
	return by != in.Route.Account, err
}

// receives reports whether an account is connected. A message left to another one would be lost.
func (i *Intake) receives(ctx context.Context, at core.Account) (bool, error) {
	c, found, err := i.deps.Store.Connection(ctx, at)
	return found && c.State == core.Connected, err
}

func (i *Intake) agentOf(at core.Account) core.AgentName {
	for _, a := range i.deps.Accounts {
		if a.Account == at {
			return cmp.Or(a.Agent, i.deps.Roster.Primary().Name)
		}
	}
	return ""
}

// renamed replaces whole words only.
func renamed(text, was, name string) string {
	if was == "" {
		return text
	}
	var b strings.Builder
	for {
		at := strings.Index(text, was)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := at + len(was)
		b.WriteString(text[:at])
		if next, _ := utf8.DecodeRuneInString(text[end:]); next == '_' || unicode.IsLetter(next) || unicode.IsNumber(next) {
			b.WriteString(was)
		} else {
			b.WriteString(name)
		}
		text = text[end:]
	}
}
