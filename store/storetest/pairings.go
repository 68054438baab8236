package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/store"
)

// A door is a store that strangers knock at, and its clock.
type door struct {
	*chat
	now time.Time
}

func newDoor(t *testing.T, open Opener) *door {
	d := &door{now: time.Now()}
	d.chat = newChat(t, open, store.Options{Now: func() time.Time { return d.now }})
	return d
}

func request(id string, others ...string) store.AskPairing {
	return store.AskPairing{
		Pairing: store.Pairing{
			Channel: "telegram", Account: "main", ExternalID: id, OtherIDs: others, Name: "Cleo", Language: "es",
			Route: errand.Route{Channel: "telegram", Account: "main", Chat: "chat of " + id},
		},
		Tell: func(code string) string { return "your code is " + code },
	}
}

func (d *door) ask(in store.AskPairing) store.Pairing {
	d.t.Helper()
	p, _, err := d.s.AskPairing(d.ctx, in)
	require.NoError(d.t, err)
	return p
}

func (d *door) approve(code string) (store.Pairing, store.Person, bool, error) {
	return d.s.Approve(d.ctx, store.ApprovePairing{Code: code, By: "ada", Role: errand.Member,
		Tell: func(p store.Person) string { return "welcome, " + p.Name }})
}

// told is what strangers were told, in order.
func (d *door) told() []string {
	d.t.Helper()
	rows, err := d.s.Outbox(d.ctx, []errand.OutboxState{errand.Pending}, 0)
	require.NoError(d.t, err)
	texts := make([]string, len(rows))
	for i, n := range rows {
		texts[len(rows)-1-i] = n.Route.Chat + ": " + n.Text
	}
	return texts
}

var pairings = map[string]func(*testing.T, Opener){
	"who asks again has the same code, and is told it once": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		p, told, err := d.s.AskPairing(d.ctx, request("7", "@cleo"))
		require.NoError(t, err)
		require.True(t, told)
		require.Len(t, p.Code, 8)
		require.Equal(t, time.Hour, p.Expires.Sub(p.Created))
		for _, in := range []store.AskPairing{request("7"), request("@cleo"), request("new id", "7")} {
			again, told, err := d.s.AskPairing(d.ctx, in)
			require.NoError(t, err)
			require.False(t, told)
			require.Equal(t, p, again)
		}
		asked := request("7")
		asked.Again = "message 5"
		for range 2 { // the second time is the same message, delivered twice
			require.Equal(t, p.Code, d.ask(asked).Code)
		}
		require.Equal(t, []string{"chat of 7: your code is " + p.Code, "chat of 7: your code is " + p.Code}, d.told())
	},
	"three may wait on one account, for an hour": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		first := d.ask(request("1"))
		d.ask(request("2"))
		third := d.ask(request("3"))
		_, _, err := d.s.AskPairing(d.ctx, request("4"))
		require.ErrorIs(t, err, store.ErrTooMany)
		require.Equal(t, first.Code, d.ask(request("1")).Code, "who waits already may ask")
		other := request("4")
		other.Account, other.Route.Account = "second", "second"
		d.ask(other)
		_, err = d.s.Deny(d.ctx, third.Code, "ada")
		require.NoError(t, err)
		d.ask(request("4"))
		d.now = d.now.Add(time.Hour)
		list, err := d.s.Pairings(d.ctx)
		require.NoError(t, err)
		require.Len(t, list, 5)
		expired, err := d.s.Pairing(d.ctx, first.Code)
		require.NoError(t, err)
		require.Equal(t, store.PairingExpired, expired.State)
		require.NotEqual(t, first.Code, d.ask(request("1")).Code)
		_, _, _, err = d.approve(first.Code)
		require.ErrorIs(t, err, store.ErrNotFound, "the new code takes the old one's place")
	},
	"approval makes a person, once": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		asked := d.ask(request("7", "@cleo"))
		code := strings.ToUpper(asked.Code[:4]) + "-" + asked.Code[4:]
		p, person, told, err := d.approve(code)
		require.NoError(t, err)
		require.True(t, told)
		require.Equal(t, store.PairingApproved, p.State)
		require.Equal(t, errand.PersonID("ada"), p.DecidedBy)
		stored, err := d.s.Pairing(d.ctx, code)
		require.NoError(t, err)
		require.Equal(t, p, stored)
		require.Equal(t, store.Person{ID: person.ID, Name: "Cleo", Role: errand.Member, Language: "es", Created: person.Created}, person)
		for _, id := range []string{"7", "@cleo"} {
			known, err := d.s.Identify(d.ctx, "telegram", "main", id)
			require.NoError(t, err)
			require.Equal(t, person, known)
		}
		_, again, told, err := d.approve(code)
		require.NoError(t, err)
		require.False(t, told)
		require.Equal(t, person, again)
		list, err := d.s.People(d.ctx)
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, []string{"chat of 7: your code is " + p.Code, "chat of 7: welcome, Cleo"}, d.told())
		_, err = d.s.Deny(d.ctx, code, "ada")
		require.ErrorIs(t, err, store.ErrClosed)
	},
	"approval may link somebody who is there": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		p := d.ask(request("7"))
		_, _, _, err := d.s.Approve(d.ctx, store.ApprovePairing{Code: p.Code, By: "ada", As: "nobody"})
		require.ErrorIs(t, err, store.ErrNotFound)
		_, person, _, err := d.s.Approve(d.ctx, store.ApprovePairing{Code: p.Code, By: "ada", As: "ada", Role: errand.Guest})
		require.NoError(t, err)
		require.Equal(t, errand.PersonID("ada"), person.ID)
		require.Equal(t, errand.Partner, person.Role, "their role stays")
		// An identity that has become somebody's meanwhile is theirs.
		p = d.ask(request("8"))
		d.isAt("telegram", "", "ada", "8")
		_, person, _, err = d.approve(p.Code)
		require.NoError(t, err)
		require.Equal(t, errand.PersonID("ada"), person.ID)
	},
	"what is expired or denied lets nobody in": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		late, denied := d.ask(request("7")), d.ask(request("8"))
		for range 2 {
			p, err := d.s.Deny(d.ctx, denied.Code, "ada")
			require.NoError(t, err)
			require.Equal(t, store.PairingDenied, p.State)
		}
		require.Equal(t, store.PairingDenied, d.ask(request("8")).State, "a denial holds for the hour")
		_, _, _, err := d.approve(denied.Code)
		require.ErrorIs(t, err, store.ErrClosed)
		d.now = d.now.Add(time.Hour)
		p, _, _, err := d.approve(late.Code)
		require.ErrorIs(t, err, store.ErrClosed)
		require.Equal(t, store.PairingExpired, p.State)
		_, _, _, err = d.approve("none")
		require.ErrorIs(t, err, store.ErrNotFound)
		list, err := d.s.People(d.ctx)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, store.PairingPending, d.ask(request("8")).State)
	},
	"a browser is known by its secret once it is let in": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		secret := store.NewSecret()
		in := request("browser-1")
		in.Channel, in.Route, in.Secret = errand.ChannelWeb, errand.Route{}, secret
		p := d.ask(in)
		_, err := d.s.PersonByToken(d.ctx, secret)
		require.ErrorIs(t, err, store.ErrNotFound)
		waiting, err := d.s.PairingBySecret(d.ctx, secret)
		require.NoError(t, err)
		require.Equal(t, p.Code, waiting.Code)
		_, err = d.s.PairingBySecret(d.ctx, "")
		require.ErrorIs(t, err, store.ErrNotFound)
		other := store.NewSecret()
		in.ExternalID, in.Secret = "browser-2", other
		given := d.ask(in)
		require.NoError(t, d.s.RevokeSecret(d.ctx, other))
		_, _, _, err = d.approve(given.Code)
		require.ErrorIs(t, err, store.ErrNotFound, "it was taken back")
		_, person, told, err := d.approve(p.Code)
		require.NoError(t, err)
		require.False(t, told, "the page sees it by itself")
		known, err := d.s.PersonByToken(d.ctx, secret)
		require.NoError(t, err)
		require.Equal(t, person, known)
		tokens, err := d.s.Tokens(d.ctx, person.ID)
		require.NoError(t, err)
		require.Equal(t, store.TokenLogin, tokens[0].Kind)
		require.Equal(t, store.LoginValid, tokens[0].Expires.Sub(tokens[0].Created))
	},
}
