package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
)

func asAda(ctx context.Context) context.Context {
	return actor.NewContext(ctx, actor.Actor{Person: "ada"}.WithToken("k-1", "k-1").Through("cli"))
}

// done lists what was done, the newest first, a line for each.
func done(t *testing.T, s *store.Store, f store.AuditFilter) []string {
	t.Helper()
	list, err := s.Audit(t.Context(), f)
	require.NoError(t, err)
	lines := []string{}
	for _, e := range list {
		lines = append(lines, fmt.Sprintf("%s %s %s %s: %s %s %s %s %s", e.Person, e.Name, e.Via, e.Door, e.Deed, e.Kind, e.Subject, e.Whose, e.Detail))
	}
	return lines
}

var audits = map[string]func(*testing.T, Opener){
	"what somebody does is noted with who they are, and what errand does itself is not": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		AddEveryRole(t, s)
		_, err := s.EnsurePerson(t.Context(), "ada", "Ada", core.MasterAdmin)
		require.NoError(t, err)
		_, err = s.SetRole(t.Context(), "member", core.Guest)
		require.NoError(t, err)
		require.Empty(t, done(t, s, store.AuditFilter{}))
		_, err = s.SetRole(asAda(t.Context()), "member", core.Partner)
		require.NoError(t, err)
		require.NoError(t, s.RemovePerson(asAda(t.Context()), "member"))
		require.Equal(t, []string{
			"ada Ada k-1 cli: people.remove person member member ",
			"ada Ada k-1 cli: people.role person member member partner",
		}, done(t, s, store.AuditFilter{}))
		require.NoError(t, s.RemovePerson(t.Context(), "ada"))
		require.Equal(t, "ada  k-1 cli: people.remove person member member ", done(t, s, store.AuditFilter{})[0], "a row outlives who it is about")
	},
	"what fails is not noted, even where it had been done": func(t *testing.T, open Opener) {
		d := newDoor(t, open)
		ctx := asAda(d.ctx)
		_, err := d.s.SetRole(ctx, "nobody", core.Guest)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.Error(t, d.s.RevokeToken(ctx, "k-none"))
		code := d.ask(request("7")).Code
		var unwelcomed *store.UnwelcomedError
		in := store.ApprovePairing{Code: code, By: "ada", Role: core.Member, Welcomes: map[store.Newcomer]string{}}
		_, _, err = d.s.Approve(ctx, in)
		require.ErrorAs(t, err, &unwelcomed, "everything is done, and then undone")
		require.Empty(t, done(t, d.s, store.AuditFilter{}))
		in.Welcomes[unwelcomed.Newcomers[0]] = "welcome"
		for range 2 {
			_, _, err = d.s.Approve(ctx, in)
			require.NoError(t, err)
		}
		require.Len(t, done(t, d.s, store.AuditFilter{}), 1, "and once, however often it is said")
	},
	"of several who end the same task one is noted": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		c.delegate(2, to("hotels", "sasha"))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				_, err := c.s.CloseTask(asAda(c.ctx), id, "", true)
				require.NoError(t, err)
			})
		}
		all.Wait()
		require.Equal(t, []string{"ada Ada k-1 cli: tasks.cancel task " + string(id) + " ada "}, done(t, c.s, store.AuditFilter{}))
	},
	"entries are found by who, what, whom and when, page by page, and go when they are past their time": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		AddEveryRole(t, s)
		for i := range 5 {
			ctx := asAda(t.Context())
			if i == 4 {
				ctx = actor.NewContext(ctx, actor.Actor{Person: "partner"})
			}
			_, token, err := s.CreateToken(ctx, core.Token{Person: "member", Kind: core.TokenAPI, Name: "x"}, 0)
			require.NoError(t, err)
			if i == 0 {
				require.NoError(t, s.RevokeToken(ctx, token.ID))
				_, err = s.SetRole(ctx, "guest", core.Member)
				require.NoError(t, err)
			}
			clock.tick(day)
		}
		for _, test := range []struct {
			f    store.AuditFilter
			want int
		}{
			{store.AuditFilter{}, 7}, {store.AuditFilter{Person: "ada"}, 6}, {store.AuditFilter{Person: "partner"}, 1},
			{store.AuditFilter{Deeds: []string{"tokens"}}, 6}, {store.AuditFilter{Deeds: []string{"tokens.revoke", "people"}}, 2},
			{store.AuditFilter{Deeds: []string{"toke"}}, 0}, {store.AuditFilter{Of: "guest"}, 1}, {store.AuditFilter{Of: "member"}, 6},
			{store.AuditFilter{Since: clock.now.Add(-2*day - 1)}, 2}, {store.AuditFilter{Of: "a'b\x00"}, 0},
		} {
			require.Len(t, done(t, s, test.f), test.want, "%+v", test.f)
		}
		var last int64
		seen := 0
		for {
			page, err := s.Audit(t.Context(), store.AuditFilter{Before: last, Limit: 3})
			require.NoError(t, err)
			for _, e := range page {
				require.True(t, last == 0 || e.ID < last, "the newest first, each once")
				last, seen = e.ID, seen+1
			}
			if len(page) < 3 {
				break
			}
		}
		require.Equal(t, 7, seen)
		require.Empty(t, sweepAll(t, s, store.SweepAudit, store.Policy{}), "for ever")
		require.Equal(t, map[string]int{"audit": 4}, sweepAll(t, s, store.SweepAudit, store.Policy{Audit: 3*day + 1}))
		require.Len(t, done(t, s, store.AuditFilter{}), 3)
	},
}
