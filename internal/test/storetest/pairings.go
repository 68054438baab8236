package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
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
		Pairing: core.Pairing{
			Channel: "telegram", Account: "main", ExternalID: id, OtherIDs: others, Name: "Cleo", Language: "es",
			Route: core.Route{Channel: "telegram", Account: "main", Chat: "chat of " + id},
		},
		Notice: "your code is " + store.PairingCode,
	}
}

func (d *door) ask(in store.AskPairing) core.Pairing {
	d.t.Helper()
	p, _, err := d.s.AskPairing(d.ctx, in)
	require.NoError(d.t, err)
	return p
}

func (d *door) approve(code string) (core.Pairing, core.Person, bool, error) {
	a, _, err := d.letIn(store.ApprovePairing{Code: code, By: "ada", Role: core.Member})
	return a.Pairing, a.Person, a.Welcomed, err
}

// letIn approves with words for all who are let in.
func (d *door) letIn(in store.ApprovePairing) (store.Approved, []store.Approved, error) {
	d.t.Helper()
	in.Welcomes = map[store.Newcomer]string{}
	a, also, err := d.s.Approve(d.ctx, in)
	var unwelcomed *store.UnwelcomedError
	if !errors.As(err, &unwelcomed) {
		return a, also, err
	}
	for _, who := range unwelcomed.Newcomers {
		in.Welcomes[who] = "welcome, " + who.Name
	}
	return d.s.Approve(d.ctx, in)
}

func (d *door) wrote(code string) []string {
	d.t.Helper()
	row, ok, err := d.s.AcceptPairingMessages(d.ctx, code)
	require.NoError(d.t, err)
	if !ok {
		return nil
	}
	events, err := d.s.Events(d.ctx, row.Session, 0, 100)
	require.NoError(d.t, err)
	var texts []string
	for _, e := range events {
		texts = append(texts, e.Message+": "+e.Text)
	}
	return texts
}

func withMessage(in store.AskPairing, messageID, text string) store.AskPairing {
	in.Message = &store.PairingMessage{MessageID: messageID, Text: text}
	return in
}

func (d *door) notices() []string {
	d.t.Helper()
	rows, err := d.s.Deliveries(d.ctx, []core.OutboxState{core.Pending}, store.Page{})
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
		p, notices, err := d.s.AskPairing(d.ctx, request("7", "@cleo"))
		require.NoError(t, err)
		require.True(t, notices)
		require.Len(t, p.Code, 8)
		require.Equal(t, time.Hour, p.Expires.Sub(p.Created))
		for _, in := range []store.AskPairing{request("7"), request("@cleo"), request("new id", "7")} {
			again, notices, err := d.s.AskPairing(d.ctx, in)
			require.NoError(t, err)
			require.False(t, notices)
			require.Equal(t, p, again)
		}
		asked := request("7")
		asked.Again = "message 5"
		for range 2 { // the second time is the same message, delivered twice
			require.Equal(t, p.Code, d.ask(asked).Code)
		}
		require.Equal(t, []string{"chat of 7: your code is " + strings.ToUpper(p.Code), "chat of 7: your code is " + strings.ToUpper(p.Code)}, d.notices())
	},
	"nobody is shut out: of too many who wait, the oldest gives way": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		var asked []core.Pairing
		for i := range store.MostPending {
			d.now = d.now.Add(time.Millisecond)
			asked = append(asked, d.ask(request(fmt.Sprint(i))))
		}
		other := request("0")
		other.Account, other.Route.Account = "second", "second"
		elsewhere := d.ask(other)
		d.now = d.now.Add(time.Millisecond)
		require.Equal(t, asked[1].Code, d.ask(request("1")).Code, "who waits already may ask")
		one := d.ask(request("one more"))
		for code, want := range map[string]core.PairingState{one.Code: core.PairingPending, asked[0].Code: core.PairingExpired,
			asked[1].Code: core.PairingPending, elsewhere.Code: core.PairingPending} {
			p, err := d.s.Pairing(d.ctx, code)
			require.NoError(t, err)
			require.Equal(t, want, p.State)
		}
		require.NotEqual(t, asked[0].Code, d.ask(request("0")).Code, "who gave way may ask again")
		waiting, err := d.s.Pairings(d.ctx, true)
		require.NoError(t, err)
		require.Len(t, waiting, store.MostPending+1)
	},
	"a code holds for an hour": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		first := d.ask(request("1"))
		d.now = d.now.Add(time.Hour)
		expired, err := d.s.Pairing(d.ctx, first.Code)
		require.NoError(t, err)
		require.Equal(t, core.PairingExpired, expired.State)
		waiting, err := d.s.Pairings(d.ctx, true)
		require.NoError(t, err)
		require.Empty(t, waiting)
		all, err := d.s.Pairings(d.ctx, false)
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.NotEqual(t, first.Code, d.ask(request("1")).Code)
		_, _, _, err = d.approve(first.Code)
		require.ErrorIs(t, err, store.ErrNotFound, "the new code takes the old one's place")
	},
	"from one address the last who asked waits": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		at := func(address, id string) core.Pairing {
			in := request(id)
			in.Channel, in.Account, in.Route, in.Address = core.ChannelWeb, core.LocalAccount, core.Route{}, address
			d.now = d.now.Add(time.Millisecond)
			return d.ask(in)
		}
		first, other, last := at("192.0.2.1", "a"), at("192.0.2.2", "b"), at("192.0.2.1", "c")
		waiting, err := d.s.Pairings(d.ctx, true)
		require.NoError(t, err)
		require.Len(t, waiting, 2)
		require.Equal(t, []string{last.Code, other.Code}, []string{waiting[0].Code, waiting[1].Code})
		require.Equal(t, "192.0.2.1", waiting[0].Address)
		_, _, _, err = d.approve(first.Code)
		require.ErrorIs(t, err, store.ErrClosed)
	},
	"what somebody wrote is theirs once they are let in": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		p := d.ask(withMessage(request("7"), "m1", "hello"))
		d.now = d.now.Add(time.Millisecond)
		d.ask(withMessage(request("7"), "m2", "which trians go to Oslo?"))
		d.now = d.now.Add(time.Millisecond)
		d.ask(withMessage(request("7"), "m3", "and when?"))
		d.ask(withMessage(request("7"), "m1", "hello, delivered again"))
		edit := withMessage(request("7"), "m2", "which trains go to Oslo?")
		edit.Message.Revision = 1
		d.ask(edit)
		forwarded := withMessage(request("7"), "m4", "/reset")
		forwarded.Message.Forwarded, forwarded.Message.From = true, "Eve"
		d.now = d.now.Add(time.Millisecond)
		d.ask(forwarded)
		require.Nil(t, d.wrote(p.Code), "nobody has let them in yet")
		a, _, err := d.letIn(store.ApprovePairing{Code: p.Code, By: "ada", Role: core.Member})
		require.NoError(t, err)
		require.Equal(t, 4, a.Wrote)
		require.False(t, a.More)
		codes, err := d.s.ApprovedPairingMessages(d.ctx)
		require.NoError(t, err)
		require.Equal(t, []string{p.Code}, codes, "whoever let them in may have died")
		require.Equal(t, []string{"m1: hello", "m2: which trains go to Oslo?", "m3: and when?", "m4: /reset"}, d.wrote(p.Code))
		key := core.NewSessionKey(p.Route, a.Person.ID)
		r, err := d.s.Rehydrate(d.ctx, key, "nikki")
		require.NoError(t, err)
		begun, err := d.s.BeginStep(d.ctx, store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(r.Session), Turn: 1, Step: 1},
			Session: key, Rows: store.ClaimAll, Window: 10})
		require.NoError(t, err)
		last := begun.Transcript[len(begun.Transcript)-1]
		require.Contains(t, last.Text, "Eve", "it is marked as hers")
		require.Nil(t, d.wrote(p.Code), "once")
		codes, err = d.s.ApprovedPairingMessages(d.ctx)
		require.NoError(t, err)
		require.Empty(t, codes)
		row, err := d.s.Accept(d.ctx, store.InboxMessage{Route: p.Route, Person: a.Person.ID, MessageID: "m3", Text: "and when?"})
		require.NoError(t, err)
		require.True(t, row.Duplicate, "delivered again by the platform")
	},
	"what a stranger may leave is bounded, and goes with the request": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		ask := func(id string) core.Pairing { return d.ask(withMessage(request(id), "m1", "secret of "+id)) }
		full := ask("1")
		for i := range 10 {
			d.ask(withMessage(request("1"), fmt.Sprint("n", i), "x"))
		}
		long := d.ask(withMessage(request("2"), "m1", strings.Repeat("x", 20_000)))
		picture := withMessage(request("3"), "m1", "look")
		picture.Message.More = true
		with := d.ask(picture)
		for code, want := range map[string]int{full.Code: 5, long.Code: 0, with.Code: 1} {
			a, _, err := d.s.Approve(d.ctx, store.ApprovePairing{Code: code, By: "ada", Role: core.Member})
			require.NoError(t, err)
			require.Equal(t, want, a.Wrote)
			require.True(t, a.More)
		}
		received, err := d.s.ForgetPairingMessage(d.ctx, with.Route, "m1")
		require.NoError(t, err)
		require.True(t, received)
		require.Nil(t, d.wrote(with.Code), "they took it back")
		denied, expired, removed := ask("4"), ask("5"), ask("6")
		_, err = d.s.Deny(d.ctx, denied.Code, "ada")
		require.NoError(t, err)
		received, err = d.s.ForgetPairingMessage(d.ctx, denied.Route, "m1")
		require.NoError(t, err)
		require.False(t, received, "deleted with the denial")
		a, _, err := d.s.Approve(d.ctx, store.ApprovePairing{Code: removed.Code, By: "ada", Role: core.Member})
		require.NoError(t, err)
		require.NoError(t, d.s.RemovePerson(d.ctx, a.Person.ID))
		require.Nil(t, d.wrote(removed.Code))
		d.now = d.now.Add(time.Hour)
		require.NoError(t, d.s.ForgetExpired(d.ctx))
		received, err = d.s.ForgetPairingMessage(d.ctx, expired.Route, "m1")
		require.NoError(t, err)
		require.False(t, received, "deleted when it expired")
	},
	"nobody is let in without the words for how they were found": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		p := d.ask(request("7"))
		in := store.ApprovePairing{Code: p.Code, By: "ada", Role: core.Member, Welcomes: map[store.Newcomer]string{}}
		for i, wrote := range []bool{false, true} {
			_, _, err := d.s.Approve(d.ctx, in)
			var unwelcomed *store.UnwelcomedError
			require.ErrorAs(t, err, &unwelcomed)
			require.Equal(t, []store.Newcomer{{Code: p.Code, Name: "Cleo", Language: "es", Asked: "es", Wrote: wrote}}, unwelcomed.Newcomers)
			for _, who := range unwelcomed.Newcomers {
				in.Welcomes[who] = fmt.Sprint("welcome ", i)
			}
			if !wrote { // they write before the approver comes again
				d.ask(withMessage(request("7"), "m1", "hello"))
			}
		}
		waiting, err := d.s.Pairings(d.ctx, true)
		require.NoError(t, err)
		require.Len(t, waiting, 1, "nothing is decided yet")
		a, _, err := d.s.Approve(d.ctx, in)
		require.NoError(t, err)
		require.True(t, a.Welcomed)
		require.Contains(t, d.notices(), "chat of 7: welcome 1")
	},
	"who waits on two accounts is let in on both": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		second := withMessage(request("7", "@cleo"), "m2", "and here?")
		second.Account, second.Route.Account = "second", "second"
		first, other := d.ask(withMessage(request("7"), "m1", "hello")), d.ask(second)
		in := request("7")
		in.Channel, in.Route.Channel = "sms", "sms" // ids of which mean something on one account only
		elsewhere := d.ask(in)
		a, also, err := d.letIn(store.ApprovePairing{Code: first.Code, By: "ada", As: "ada"})
		require.NoError(t, err)
		require.Len(t, also, 1)
		require.Equal(t, other.Code, also[0].Pairing.Code)
		require.Equal(t, a.Person, also[0].Person)
		require.True(t, also[0].Welcomed)
		require.Equal(t, []string{"m1: hello"}, d.wrote(first.Code))
		require.Equal(t, []string{"m2: and here?"}, d.wrote(other.Code))
		waiting, err := d.s.Pairings(d.ctx, true)
		require.NoError(t, err)
		require.Len(t, waiting, 1)
		require.Equal(t, elsewhere.Code, waiting[0].Code)
	},
	"approval makes a person, once": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		asked := d.ask(request("7", "@cleo"))
		code := strings.ToUpper(asked.Code[:4]) + "-" + asked.Code[4:]
		p, person, notices, err := d.approve(code)
		require.NoError(t, err)
		require.True(t, notices)
		require.Equal(t, core.PairingApproved, p.State)
		require.Equal(t, core.PersonID("ada"), p.DecidedBy)
		stored, err := d.s.Pairing(d.ctx, code)
		require.NoError(t, err)
		require.Equal(t, p, stored)
		require.Equal(t, core.Person{ID: person.ID, Name: "Cleo", Role: core.Member, Language: "es", Created: person.Created}, person)
		for _, id := range []string{"7", "@cleo"} {
			known, err := d.s.Identify(d.ctx, "telegram", "main", id)
			require.NoError(t, err)
			require.Equal(t, person, known)
		}
		_, again, notices, err := d.approve(code)
		require.NoError(t, err)
		require.False(t, notices)
		require.Equal(t, person, again)
		list, err := d.s.People(d.ctx, store.Page{})
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, []string{"chat of 7: your code is " + strings.ToUpper(p.Code), "chat of 7: welcome, Cleo"}, d.notices())
		_, err = d.s.Deny(d.ctx, code, "ada")
		require.ErrorIs(t, err, store.ErrClosed)
	},
	"approval may link somebody who is there": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		p := d.ask(request("7"))
		_, _, err := d.s.Approve(d.ctx, store.ApprovePairing{Code: p.Code, By: "ada", As: "nobody"})
		require.ErrorIs(t, err, store.ErrNotFound)
		a, _, err := d.s.Approve(d.ctx, store.ApprovePairing{Code: p.Code, By: "ada", As: "ada", Role: core.Guest})
		require.NoError(t, err)
		require.Equal(t, core.PersonID("ada"), a.Person.ID)
		require.Equal(t, core.Partner, a.Person.Role, "their role stays")
		// An identity that was given to a person meanwhile stays that person's.
		p = d.ask(request("8"))
		d.isAt("telegram", "", "ada", "8")
		_, person, _, err := d.approve(p.Code)
		require.NoError(t, err)
		require.Equal(t, core.PersonID("ada"), person.ID)
	},
	"what is expired or denied lets nobody in": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		late, denied := d.ask(request("7")), d.ask(request("8"))
		for range 2 {
			p, err := d.s.Deny(d.ctx, denied.Code, "ada")
			require.NoError(t, err)
			require.Equal(t, core.PairingDenied, p.State)
		}
		require.Equal(t, core.PairingDenied, d.ask(request("8")).State, "a denial holds for the hour")
		_, _, _, err := d.approve(denied.Code)
		require.ErrorIs(t, err, store.ErrClosed)
		d.now = d.now.Add(time.Hour)
		p, _, _, err := d.approve(late.Code)
		require.ErrorIs(t, err, store.ErrClosed)
		require.Equal(t, core.PairingExpired, p.State)
		_, _, _, err = d.approve("none")
		require.ErrorIs(t, err, store.ErrNotFound)
		list, err := d.s.People(d.ctx, store.Page{})
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, core.PairingPending, d.ask(request("8")).State)
	},
	"a browser is known by its secret once it is let in": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		secret := store.NewSecret()
		in := request("browser-1")
		in.Channel, in.Route, in.Secret = core.ChannelWeb, core.Route{}, secret
		p := d.ask(in)
		_, _, err := d.s.PersonByToken(d.ctx, secret)
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
		_, person, notices, err := d.approve(p.Code)
		require.NoError(t, err)
		require.False(t, notices, "the page sees it by itself")
		known, _, err := d.s.PersonByToken(d.ctx, secret)
		require.NoError(t, err)
		require.Equal(t, person, known)
		tokens, err := d.s.Tokens(d.ctx, person.ID)
		require.NoError(t, err)
		require.Equal(t, core.TokenLogin, tokens[0].Kind)
		require.Equal(t, store.LoginValid, tokens[0].Expires.Sub(tokens[0].Created))
	},
}
