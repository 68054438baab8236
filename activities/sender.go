package activities

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand"
	"errand/notifiers"
)

// candidates are the ways to send a notification, the best first: a late result, or a
// file that a sub-agent sends, on the account of the agent who worked for it, if it has one, and everything on the
// account of the session.
func (a *Activities) candidates(n errand.Notification) []errand.Notification {
	here := n
	here.Text = a.textWithAgent(n)
	own, ok := a.Accounts.Of(n.Agent, n.Route.At())
	late := n.Event == errand.EventLate || n.Event == errand.EventFile && n.Task != ""
	if !late || !ok || own == n.Route.At() {
		return []errand.Notification{here}
	}
	n.Route.Account = own.Name
	n.ReplyTo = "" // what the other account calls that message, nobody knows
	return []errand.Notification{n, here}
}

// CandidateOn is a notification as an account would send it. It is no method: those are
// activities.
func CandidateOn(a *Activities, n errand.Notification, account string) errand.Notification {
	candidates := a.candidates(n)
	for _, v := range candidates {
		if v.Route.Account == account {
			return v
		}
	}
	return candidates[0]
}

// textWithAgent is what a notification says, with the name of the agent in front where
// people would think that another one speaks: the one that its account begins
// with. A late result says itself whose it is.
func (a *Activities) textWithAgent(n errand.Notification) string {
	isReply := n.Event == errand.EventReply || n.Event == errand.EventQuestion || n.Event == errand.EventFile && n.Text != ""
	if !isReply || n.Agent == "" || !a.Accounts.Has(n.Route.At()) || a.rosterAt(n.Route).Primary().Name == n.Agent {
		return n.Text
	}
	// Markup that begins a line has to go on beginning one.
	behind := ":\n\n"
	if first, _ := utf8.DecodeRuneInString(n.Text); unicode.IsLetter(first) {
		behind = ": "
	}
	return n.Agent.Display() + behind + strings.TrimLeft(n.Text, "\n")
}

// arrived finds out whether a notification whose outcome is unknown has arrived in one
// of its candidates, and by which account. Unknown is that nobody can know.
func (a *Activities) arrived(ctx context.Context, candidates []errand.Notification) (by errand.Account, receipt notifiers.Receipt, unknown bool, err error) {
	for i, v := range candidates {
		receipt, ok, err := a.Notifiers.Delivered(ctx, v)
		switch {
		case ok && err == nil:
			return v.Route.At(), receipt, false, nil
		case errors.Is(err, notifiers.ErrCannotCheck):
			unknown = true
		case err != nil && i == len(candidates)-1:
			return by, receipt, unknown, err
		case err != nil && !isRefused(err):
			unknown = true // the chat does not wait for an account that cannot be asked
		}
	}
	return by, receipt, unknown, nil
}

// admits reports whether whoever is told something on an account could answer
// there: an account that does not know them, or is not for them, tells them nothing.
func (a *Activities) admits(ctx context.Context, n errand.Notification) bool {
	_, person, err := n.Session.Parse()
	if a.Admits == nil || err != nil || person == errand.Everyone {
		return true
	}
	admitted, err := a.Admits(ctx, n.Route.At(), person)
	if err != nil {
		a.Logger.Warn("whether an account may tell it is not known; the session's does", "channel", n.Route.Channel, "account", n.Route.Account, "error", err)
	}
	return admitted && err == nil
}

func (a *Activities) sendFirst(ctx context.Context, candidates []errand.Notification) (errand.Account, notifiers.Receipt, error) {
	for _, v := range candidates[:len(candidates)-1] {
		receipt, err := a.Notifiers.Notify(ctx, v)
		if !isRefused(err) {
			return v.Route.At(), receipt, err
		}
		a.Logger.Info("an agent's own account may not tell it; the session's does", "channel", v.Route.Channel, "account", v.Route.Account, "error", err)
	}
	last := candidates[len(candidates)-1]
	receipt, err := a.Notifiers.Notify(ctx, last)
	return last.Route.At(), receipt, err
}

func isRefused(err error) bool {
	var send *notifiers.SendError
	return errors.As(err, &send) && send.Outcome == notifiers.Refused
}
