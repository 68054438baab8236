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

	"errand"
	"errand/internal/team"
)

// A Mention is somebody whom a text names by the means of its platform.
type Mention struct {
	ID   string // by which the platform knows them: an id, a number, a name of an account
	Text string // that names them in the text
}

// nameAgents writes, in a message that calls colleagues by /team, the names of agents for
// mentions of their accounts. another says that the message is not for the account that it
// came by: in a group it begins with a mention of another one of ours that is connected, and
// names this one as a colleague only. What is for one that is away is taken over.
func (i *Intake) nameAgents(ctx context.Context, in *Inbound) (another bool, err error) {
	if len(in.Mentions) == 0 || !strings.Contains(strings.ToLower(in.Text), team.Command) {
		return false, nil
	}
	handles, err := i.service.Store.Handles(ctx, in.Route.Channel)
	if err != nil {
		return false, err
	}
	// The longest first: the name of one may be the beginning of another's.
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
			call, ok := team.Parse(strings.TrimLeft(strings.TrimSpace(rest), ",:;"))
			if !another && ok && call.Before == "" {
				if another, err = i.receives(ctx, at); err != nil {
					return false, err
				}
				if !another { // it is taken over, as what it is: a call of colleagues
					in.Text = strings.TrimLeft(strings.TrimSpace(rest), ",:; ")
				}
			}
		}
	}
	return another, nil
}

// isTaken reports whether another account of ours has taken a call of colleagues that people
// wrote in a group: a command that names no account reaches all of ours there, and one that mentions
// several reaches those. The first that takes it carries it out. The ids of a message may differ
// from account to account, so it is known by when it was written, and by its task.
func (i *Intake) isTaken(ctx context.Context, in Inbound) (bool, error) {
	call, ok := team.Parse(in.Text)
	if !ok || !in.Group || in.Sent.IsZero() || in.Deleted {
		return false, nil
	}
	several := false
	for _, a := range i.service.Accounts {
		several = several || a.Channel == in.Route.Channel && a.Account != in.Route.At()
	}
	if !several {
		return false, nil
	}
	sum := sha256.Sum256([]byte(call.Task))
	by, err := i.service.Store.TakeCall(ctx, in.Route, in.Sent, hex.EncodeToString(sum[:]))
	return by != in.Route.Account, err
}

// receives reports whether messages come by an account of ours now: what is left to one
// that is away would be lost.
func (i *Intake) receives(ctx context.Context, at errand.Account) (bool, error) {
	c, found, err := i.service.Store.Connection(ctx, at)
	return found && c.State == errand.Connected, err
}

// agentOf is the agent of an account of ours; empty: there is no such account any more.
func (i *Intake) agentOf(at errand.Account) errand.AgentName {
	for _, a := range i.service.Accounts {
		if a.Account == at {
			return cmp.Or(a.Agent, i.service.Roster.Primary().Name)
		}
	}
	return ""
}

// renamed puts a name where a text mentions somebody by another one, not within a longer
// word.
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
