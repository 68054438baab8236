package service_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
)

func (h *house) about(by actor.Actor) (api.About, error) {
	return ops.Do(h.t.Context(), h.Runner, api.GetAbout, by, api.None{})
}

// TestAbout proves that only a master_admin reads the address of Temporal's Web UI and the agents
// with too many tools.
func TestAbout(t *testing.T) {
	h := newHouse(t, func(d *service.Deps) {
		d.About = api.About{Version: "1.2.3", WebUI: "http://127.0.0.1:8233"}
		d.Crowded = func() []core.CrowdedAgent { return []core.CrowdedAgent{{Agent: "finn"}} }
	})
	for _, role := range core.Roles() {
		about, err := h.about(as(role))
		require.NoError(t, err)
		require.Equal(t, "1.2.3", about.Version)
		require.Len(t, about.Roles, len(core.Roles()))
		admin := role == core.MasterAdmin
		require.Equal(t, admin, about.WebUI != "", role)
		require.Len(t, about.Crowded, map[bool]int{true: 1, false: 0}[admin], role)
	}
}

// connect records that one account is connected, and that another waits for a phone.
func (h *house) connect(telegram, whatsapp core.Account) {
	h.t.Helper()
	ctx := h.t.Context()
	for a, note := range map[core.Account]store.ConnectionNote{telegram: {State: core.Connected}, whatsapp: {State: core.LoggedOut, Link: "2@abcdef"}} {
		_, err := h.store.Lease(ctx, a, "worker", time.Minute)
		require.NoError(h.t, err)
		kept, err := h.store.NoteConnection(ctx, a, "worker", note)
		require.NoError(h.t, err)
		require.True(h.t, kept)
	}
}

// TestLinks proves that an account is linked only while it waits for a phone, and that what a phone
// scans is shown only to people who may link accounts.
func TestLinks(t *testing.T) {
	telegram, whatsapp := core.Account{Channel: "telegram", Name: "main"}, core.Account{Channel: "whatsapp", Name: "main"}
	h := newHouse(t, func(d *service.Deps) {
		d.Accounts = agents.Accounts{{Account: telegram}, {Account: whatsapp}}
		d.PairCode = func(_ context.Context, a core.Account, phone string) (string, error) {
			return a.String() + " " + phone, nil
		}
	})
	h.connect(telegram, whatsapp)
	for role, link := range map[core.Role]string{core.Partner: "", core.MasterAdmin: "2@abcdef"} {
		list, err := ops.Do(t.Context(), h.Runner, api.ListChannels, as(role), api.None{})
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, link, list[1].Link, role)
	}
	qr := func(a api.Account) (api.File, error) {
		return ops.Do(t.Context(), h.Runner, api.GetChannelQR, as(core.MasterAdmin), a)
	}
	code := func(a api.Account) (api.ChannelCode, error) {
		in := api.CreateChannelCodeInput{Account: a}
		in.Body.Phone = "+49 171 1234567"
		return ops.Do(t.Context(), h.Runner, api.CreateChannelCode, as(core.MasterAdmin), in)
	}
	picture, err := qr(api.Account{Channel: "whatsapp", Account: "main"})
	require.NoError(t, err)
	png, err := io.ReadAll(picture)
	require.NoError(t, err)
	require.Contains(t, string(png), "\x89PNG")
	typed, err := code(api.Account{Channel: "whatsapp", Account: "main"})
	require.NoError(t, err)
	require.Equal(t, "whatsapp/main +49 171 1234567", typed.Code)

	_, err = qr(api.Account{Channel: "telegram", Account: "main"})
	require.ErrorContains(t, err, "nothing to scan")
	_, err = code(api.Account{Channel: "telegram", Account: "main"})
	require.ErrorContains(t, err, "is not waiting for a phone")
	_, err = code(api.Account{Channel: "telegram", Account: "none"})
	require.True(t, isNotFound(err))
}

// TestMetrics proves that a monitor reads the open work, the states of connections and the calls of
// platforms that the worker refused.
func TestMetrics(t *testing.T) {
	whatsapp := core.Account{Channel: "whatsapp", Name: "main"}
	h := newHouse(t, func(d *service.Deps) { d.Accounts = agents.Accounts{{Account: whatsapp}} })
	h.connect(core.Account{Channel: "telegram", Name: "main"}, whatsapp)
	h.task("member")
	got, err := ops.Do(t.Context(), h.Runner, api.GetMetrics, as(core.MasterAdmin), api.MetricsInput{Hooks: map[string]int64{"/telegram/main": 7}})
	require.NoError(t, err)
	text, err := io.ReadAll(got)
	require.NoError(t, err)
	for _, want := range []string{
		"errand_open_tasks 1\n", `errand_connection_state{account="main",channel="whatsapp",state="logged_out"} 1`,
		`errand_hook_refused_total{path="/telegram/main"} 7`,
	} {
		require.Contains(t, string(text), want)
	}
}

// TestCleanUps proves that a clean-up is listed with what it did.
func TestCleanUps(t *testing.T) {
	h := newHouse(t, nil)
	require.NoError(t, h.store.BeginUpkeep(t.Context(), "u-1"))
	require.NoError(t, h.store.EndUpkeep(t.Context(), "u-1", []store.Count{{What: "messages", N: 120}}, []string{"tasks"}))
	list, err := ops.Do(t.Context(), h.Runner, api.ListCleanUps, as(core.MasterAdmin), api.ListCleanUpsInput{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "u-1", list[0].ID)
	require.Equal(t, map[string]int{"messages": 120}, list[0].Report)
	require.Equal(t, []string{"tasks"}, list[0].Failed)
	require.False(t, list[0].Finished.IsZero())
}
