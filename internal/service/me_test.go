package service_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
)

// TestMe proves that a caller reads their rights, and in their language why their login approves
// nothing.
func TestMe(t *testing.T) {
	table := api.Rights()
	require.NoError(t, table.Rename(core.Member, "colleague"))
	h := newHouse(t, func(d *service.Deps) { d.Rights = table })
	for _, test := range []struct {
		by    actor.Actor
		reads string
		want  string
	}{
		{as(core.MasterAdmin), "en", ""},
		{as(core.MasterAdmin).AsProgram(), "en", "You can't approve with this login"},
		{as(core.MasterAdmin).AsProgram(), "es", "Con este inicio de sesión no puedes aprobar"},
		{as(core.Member).AsProgram(), "en", ""},
	} {
		test.by.Reads = test.reads
		me, err := ops.Do(t.Context(), h.Runner, api.GetMe, test.by, api.GetMeInput{Login: "cookie"})
		require.NoError(t, err)
		require.Equal(t, "cookie", me.Login)
		require.Equal(t, test.by.Role == core.MasterAdmin, slices.Contains(me.May, "GET /people"))
		require.Contains(t, me.May, "GET /tasks")
		require.Contains(t, me.May, "POST /api/me")
		if me.Role == core.Member {
			require.Equal(t, "colleague", me.RoleName)
		}
		if test.want == "" {
			require.Empty(t, me.ApprovesNothing)
		} else {
			require.Contains(t, me.ApprovesNothing, test.want)
		}
	}
}

// TestMeCounts proves that a caller reads how many questions they may answer, of their own and, if their role
// approves, of others, and what is left of their day.
func TestMeCounts(t *testing.T) {
	h := newHouseOn(t, store.Options{SQLite: storetest.File(t), Limits: store.Limits{PersonDay: store.Amount{Calls: 3}}}, nil)
	me := func(by actor.Actor) api.Me {
		return servicetest.Must(ops.Do(t.Context(), h.Runner, api.GetMe, by, api.GetMeInput{}))(t)
	}
	admin, member := as(core.MasterAdmin), as(core.Member)
	require.Zero(t, me(admin).Waiting)
	require.NotEmpty(t, me(admin).Agents)
	require.Equal(t, api.DayBudget{MaxCalls: 3}, me(member).Today)
	h.asked(h.task(member.Person), true)
	require.Equal(t, 1, me(admin).Waiting, "an approval of another person")
	require.Zero(t, me(member).Waiting, "one's own approval, which others decide")
	h.asked(h.task(member.Person), false)
	require.Equal(t, 1, me(admin).Waiting)
	require.Equal(t, 1, me(member).Waiting)
	_, _, err := h.Store.AskPairing(t.Context(), store.AskPairing{Pairing: core.Pairing{Channel: "telegram", Account: "main", ExternalID: "7", Name: "Ana"}})
	require.NoError(t, err)
	require.Equal(t, 1, me(admin).Requests)
	require.Zero(t, me(member).Requests)
}

// TestChangePeople proves what a change of a person needs to say.
func TestChangePeople(t *testing.T) {
	h, by := newHouse(t, nil), as(core.MasterAdmin)
	servicetest.WantRefusal(t, do(t.Context(), h, api.ChangeMe, by, api.ChangeMeInput{}), service.KindInvalid, "name what to change")
	in := api.ChangePersonInput{PersonID: api.PersonID{ID: "guest"}}
	servicetest.WantRefusal(t, do(t.Context(), h, api.ChangePerson, by, in), service.KindInvalid, "name what to change")
	in.Body.Role, in.Body.Name = new("Partner"), new("Gil")
	in.Body.Language, in.Body.TimeZone = new("es"), new("europe/oslo")
	p := servicetest.Must(ops.Do(t.Context(), h.Runner, api.ChangePerson, by, in))(t)
	require.Equal(t, core.Person{ID: "guest", Role: core.Partner, Name: "Gil", Language: "es", TimeZone: "Europe/Oslo", Created: p.Created}, p)
	in.Body.Language = new("klingonisch!")
	in.Body.Role = new("guest")
	servicetest.WantRefusal(t, do(t.Context(), h, api.ChangePerson, by, in), service.KindInvalid, "language")
	require.Equal(t, core.Partner, servicetest.Must(h.Logins.ActorOf(t.Context(), "guest"))(t).Role, "an invalid change changes nothing")
	servicetest.WantRefusal(t, h.Link(t.Context(), by, "guest", "telegram", "", ""), service.KindInvalid, "an identity is")
	servicetest.WantRefusal(t, h.Unlink(t.Context(), by, "guest", "", "", "7"), service.KindInvalid, "an identity is")
}
