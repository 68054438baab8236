package whatsapp_test

import (
	"slices"
	"testing"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/store"
)

func (r *rig) reads(chat string, person core.PersonID) (list []string) {
	r.t.Helper()
	key := core.NewSessionKey(core.Route{Channel: "whatsapp", Account: "main", Chat: chat}, person)
	now, err := r.gate.Store.Rehydrate(r.t.Context(), key, "nikki")
	if err != nil {
		r.t.Fatal(err)
	}
	step := core.StepKey{Owner: core.SessionOwner(now.Session), Turn: now.NextTurn, Step: 1}
	b, err := r.gate.Store.BeginStep(r.t.Context(), store.BeginStep{Key: step, Session: key, Rows: store.ClaimAll})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range b.Transcript {
		list = append(list, core.Unmarked(m.Text))
	}
	return list
}

// TestGroupEdits proves that in a group what becomes of a message matters if the
// message was for us, whether it still says so or not, and otherwise not at all:
// nobody is answered, and nothing of it is kept.
func TestGroupEdits(t *testing.T) {
	const end = "that is all"
	tests := []struct {
		name string
		do   func(s *scene)
		want []string // what the agent reads of it
	}{
		{"never for us, edited", func(s *scene) {
			s.sent("M")(s.ana.Write(s.ctx, s.group.JID, "lunch?"))
			s.sent("")(s.ana.Edit(s.ctx, s.group.JID, s.ids["M"], "dinner?"))
		}, nil},
		{"never for us, deleted", func(s *scene) {
			s.sent("M")(s.ana.Write(s.ctx, s.group.JID, "lunch?"))
			s.sent("")(s.ana.Revoke(s.ctx, s.group.JID, s.ids["M"]))
		}, nil},
		{"not for us any more", func(s *scene) {
			s.sent("M")(s.ana.Mention(s.ctx, s.group.JID, s.ids["US"]+" lunch?", s.account.Person))
			s.sent("")(s.ana.Edit(s.ctx, s.group.JID, s.ids["M"], "dinner?"))
		}, []string{"dinner?"}},
		{"not for us any more, and not taken before", func(s *scene) {
			s.gate.Trip(1000, "lunch?", func() error { return &service.Error{Code: "too_fast"} })
			s.sent("M")(s.ana.Mention(s.ctx, s.group.JID, s.ids["US"]+" lunch?", s.account.Person))
			s.sent("")(s.ana.Edit(s.ctx, s.group.JID, s.ids["M"], "dinner?"))
		}, nil},
		{"for us, deleted", func(s *scene) {
			s.sent("M")(s.ana.Mention(s.ctx, s.group.JID, s.ids["US"]+" lunch?", s.account.Person))
			s.sent("")(s.ana.Revoke(s.ctx, s.group.JID, s.ids["M"]))
		}, nil},
		{"somebody else's, that was for us", func(s *scene) {
			s.sent("M")(s.ana.Mention(s.ctx, s.group.JID, s.ids["US"]+" lunch?", s.account.Person))
			s.until("Ben sees it", func() bool { return len(s.ben.Sees(s.group.JID)) == 1 })
			s.sent("")(s.ben.Edit(s.ctx, s.group.JID, s.ids["M"], "nothing"))
			s.sent("")(s.ben.Revoke(s.ctx, s.group.JID, s.ids["M"]))
		}, []string{"lunch?"}},
		{"a panic over an edit that was never for us", func(s *scene) {
			s.gate.Trip(1000, "dinner?", func() error { panic("a nil pointer") })
			s.sent("M")(s.ana.Write(s.ctx, s.group.JID, "lunch?"))
			s.sent("")(s.ana.Edit(s.ctx, s.group.JID, s.ids["M"], "dinner?"))
		}, nil},
		{"a panic over a deletion", func(s *scene) {
			s.gate.Trip(5, "", func() error { panic("a nil pointer") })
			s.sent("M")(s.ana.Write(s.ctx, s.group.JID, "lunch?"))
			s.sent("")(s.ana.Revoke(s.ctx, s.group.JID, s.ids["M"]))
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, service.AccessOpen)
			ben := r.person("Ben", "+491719999999")
			s := &scene{rig: r, ctx: t.Context(), us: r.account.JID(), ben: ben, group: r.server.AddGroup("Team", r.account.Person, r.ana, ben),
				ids: map[string]string{"US": "@" + r.account.LID().User}}
			r.connect()
			tt.do(s)
			s.sent("")(s.ana.Mention(s.ctx, s.group.JID, s.ids["US"]+" "+end, s.account.Person))
			r.until("the last came", func() bool {
				return slices.ContainsFunc(r.gate.Arrivals(), func(in intake.Inbound) bool { return in.Text == end })
			})
			last := r.gate.Outcomes()[len(r.gate.Outcomes())-1]
			if got := r.reads(s.group.JID.String(), last.Person); !slices.Equal(got, append(tt.want, end)) {
				t.Errorf("the agent reads %q", got)
			}
			if notices := r.notices(); len(notices) > 0 {
				t.Errorf("the group is told %q", notices)
			}
		})
	}
}
