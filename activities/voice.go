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

// voices are the ways to tell a notification, the best first: a late result on the
// account of the agent who worked for it, if it has one, and everything on the
// account of the session.
func (a *Activities) voices(n errand.Notification) []errand.Notification {
	here := n
	here.Text = a.named(n)
	own, ok := a.Accounts.Of(n.Agent, n.Route.At())
	if n.Event != errand.EventLate || !ok || own == n.Route.At() {
		return []errand.Notification{here}
	}
	n.Route.Account = own.Name
	n.ReplyTo = "" // what the other account calls that message, nobody knows
	return []errand.Notification{n, here}
}

// Voiced is a notification as an account tells it. It is no method: those are
// activities.
func Voiced(a *Activities, n errand.Notification, account string) errand.Notification {
	voices := a.voices(n)
	for _, v := range voices {
		if v.Route.Account == account {
			return v
		}
	}
	return voices[0]
}

// named is what a notification says, with the name of the agent in front where
// people would think that another one speaks: the one that its account begins
// with. A late result says itself whose it is.
func (a *Activities) named(n errand.Notification) string {
	spoken := n.Event == errand.EventReply || n.Event == errand.EventQuestion
	if !spoken || n.Agent == "" || !a.Accounts.Has(n.Route.At()) || a.rosterAt(n.Route).Primary().Name == n.Agent {
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
// of its voices, and by which account. Doubt is that nobody can know.
func (a *Activities) arrived(ctx context.Context, voices []errand.Notification) (by errand.Account, receipt notifiers.Receipt, doubt bool, err error) {
	for i, v := range voices {
		receipt, ok, err := a.Notifiers.Delivered(ctx, v)
		switch {
		case ok && err == nil:
			return v.Route.At(), receipt, false, nil
		case errors.Is(err, notifiers.ErrCannotTell):
			doubt = true
		case err != nil && i == len(voices)-1:
			return by, receipt, doubt, err
		case err != nil && !isRefused(err):
			doubt = true // the chat does not wait for an account that cannot be asked
		}
	}
	return by, receipt, doubt, nil
}

// able are the voices, without a first whose account is not connected, or would not
// take an answer: it is told all the same. What is written into one list is in the other too.
func (a *Activities) able(ctx context.Context, voices []errand.Notification) []errand.Notification {
	for len(voices) > 1 {
		ready, err := a.Connections.Ready(ctx, voices[0].Route.At())
		if err == nil && ready && a.Notifiers.Handles(voices[0].Route) && a.admits(ctx, voices[0]) {
			break
		}
		voices = voices[1:]
	}
	return voices
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

// speak tells a notification in the first of its voices that may.
func (a *Activities) speak(ctx context.Context, voices []errand.Notification) (errand.Account, notifiers.Receipt, error) {
	for _, v := range voices[:len(voices)-1] {
		receipt, err := a.Notifiers.Notify(ctx, v)
		if !isRefused(err) {
			return v.Route.At(), receipt, err
		}
		a.Logger.Info("an agent's own account may not tell it; the session's does", "channel", v.Route.Channel, "account", v.Route.Account, "error", err)
	}
	last := voices[len(voices)-1]
	receipt, err := a.Notifiers.Notify(ctx, last)
	return last.Route.At(), receipt, err
}

func isRefused(err error) bool {
	var send *notifiers.SendError
	return errors.As(err, &send) && send.Outcome == notifiers.Refused
}
