package service_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"errand"
	"errand/internal/service"
	"errand/internal/service/servicetest"
	"errand/internal/store"
	"errand/internal/webhook"
)

// asked is a question that an agent, at work on a task, asks the person; with approval, one
// that waits for a yes.
func (h *house) asked(task errand.Task, approval bool) errand.QuestionID {
	h.t.Helper()
	ctx := h.t.Context()
	b, err := h.store.BeginStep(ctx, store.BeginStep{Key: errand.StepKey{Owner: errand.SubAgentOwner(task.ID, "trains"), Turn: 1, Step: 1}, Window: 40, Approved: approval})
	if err != nil {
		h.t.Fatal(err)
	}
	q := store.NewQuestion{ID: errand.NewQuestionID(), Text: "When?", Options: []string{"Yes", "No"}, Pace: store.DefaultQuestionPace()}
	in := store.CommitStep{Step: b, Calls: []errand.ToolCall{{ID: "c1", Name: "ask_user", Arguments: "{}"}}}
	if approval {
		in.Planned = []store.PlannedCall{{By: store.ByApproval, Tool: "pay"}}
		in.Approvals = map[int]store.NewApproval{1: {NewQuestion: q, Approval: errand.Approval{Tool: "pay", Arguments: "{}"}, Rule: errand.ApproveAlways}}
	} else {
		in.Planned = []store.PlannedCall{{By: store.ByQuestion, Tool: "ask_user"}}
		in.Questions = map[int]store.NewQuestion{1: q}
	}
	if _, err := h.store.CommitStep(ctx, in); err != nil {
		h.t.Fatal(err)
	}
	return q.ID
}

func (h *house) delivery() int64 {
	h.t.Helper()
	ctx, at := h.t.Context(), errand.Route{Channel: "telegram", Account: "main", Chat: errand.ShortID(4)}
	if _, err := h.store.Answer(ctx, errand.Notification{Key: at.Chat, Route: at, Event: errand.EventNotice, Text: "x"}); err != nil {
		h.t.Fatal(err)
	}
	n, err := h.store.NextOutbox(ctx, at)
	if err == nil {
		err = h.store.MarkBlocked(ctx, n.ID, "blocked by the user", false)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return n.ID
}

func (h *house) token(person errand.PersonID) (plain, id string) {
	h.t.Helper()
	plain, token, err := h.store.CreateToken(h.t.Context(), store.Token{Person: person, Kind: store.TokenAPI, Name: "script"}, time.Hour)
	if err != nil {
		h.t.Fatal(err)
	}
	return plain, token.ID
}

func (h *house) asks() string {
	h.t.Helper()
	p, _, err := h.AskLogin(h.t.Context(), "laptop", "en", "192.0.2.7")
	if err != nil {
		h.t.Fatal(err)
	}
	return p.Code
}

// A logged deed is what somebody does with a method that the audit log keeps.
type logged struct {
	do   func(ctx context.Context, h *house, by service.Actor) (subject string, err error)
	deed store.Deed
	note string // kind, whose it is, and the detail
}

func audited() map[string][]logged {
	type h = *house
	type by = service.Actor
	type ctx = context.Context
	return map[string][]logged{
		"SetRole": {{func(c ctx, h h, by by) (string, error) {
			_, err := h.SetRole(c, by, "guest", errand.Member)
			return "guest", err
		}, store.DeedRole, "person guest member"}},
		"SetName":     {{func(c ctx, h h, by by) (string, error) { return "guest", h.SetName(c, by, "guest", "Gil") }, store.DeedPersonChange, "person guest name"}},
		"SetLanguage": {{func(c ctx, h h, by by) (string, error) { return "guest", h.SetLanguage(c, by, "guest", "es") }, store.DeedPersonChange, "person guest language"}},
		"SetTimeZone": {{func(c ctx, h h, by by) (string, error) {
			_, err := h.SetTimeZone(c, by, "guest", "")
			return "guest", err
		}, store.DeedPersonChange, "person guest time_zone"}},
		"RemovePerson": {{func(c ctx, h h, by by) (string, error) { return "guest", h.RemovePerson(c, by, "guest") }, store.DeedPersonRemove, "person guest "}},
		"Link": {{func(c ctx, h h, by by) (string, error) {
			return "telegram/main/7", h.Link(c, by, "guest", "telegram", "main", "7")
		}, store.DeedLink, "identity guest "}},
		"Unlink": {{func(c ctx, h h, by by) (string, error) {
			if err := h.store.AddIdentity(h.t.Context(), store.Identity{Channel: "discord", Account: "main", ExternalID: "7", Person: "guest"}); err != nil {
				return "", err
			}
			return "discord/main/7", h.Unlink(c, by, "guest", "discord", "main", "7")
		}, store.DeedUnlink, "identity guest "}},
		"CreateToken": {{func(c ctx, h h, by by) (string, error) {
			_, token, err := h.CreateToken(c, by, "guest", service.NewToken{Name: "x"})
			return token.ID, err
		}, store.DeedTokenMake, "token guest api"}},
		"NewLogin": {{func(c ctx, h h, by by) (string, error) {
			plain, err := h.NewLogin(c, by, "browser", time.Hour)
			if err != nil {
				return "", err
			}
			return h.idOf(plain), nil
		}, store.DeedTokenMake, "token master_admin login"}},
		"NewLink": {{func(c ctx, h h, by by) (string, error) { _, _, err := h.NewLink(c, by); return "", err }, store.DeedTokenMake, "token master_admin link"}},
		"RevokeToken": {{func(c ctx, h h, by by) (string, error) {
			_, id := h.token("guest")
			return id, h.RevokeToken(c, by, id)
		}, store.DeedTokenRevoke, "token guest api"}},
		"RevokeOwnToken": {{func(c ctx, h h, by by) (string, error) {
			_, id := h.token(by.Person)
			return id, h.RevokeOwnToken(c, by, id)
		}, store.DeedTokenRevoke, "token master_admin api"}},
		"WebhookSecret": {{func(c ctx, h h, by by) (string, error) {
			_, err := h.WebhookSecret(c, by, true)
			return "master_admin", err
		}, store.DeedWebhookSecret, "person master_admin "}},
		"TryWebhook": {{func(c ctx, h h, by by) (string, error) {
			h.Webhooks = &receiver{Sender: servicetest.Must(webhook.New(nil))(h.t.(*testing.T))}
			_, err := h.TryWebhook(c, by, "https://example.org")
			return "master_admin", err
		}, store.DeedWebhookSecret, "person master_admin "}},
		"Approve": {{func(c ctx, h h, by by) (string, error) {
			code := h.asks()
			_, _, err := h.Approve(c, by, code, "", "guest")
			return code, err
		}, store.DeedPairingApprove, "pairing guest guest"}},
		"Deny": {{func(c ctx, h h, by by) (string, error) { code := h.asks(); return code, h.Deny(c, by, code) }, store.DeedPairingDeny, "pairing  "}},
		"AnswerQuestion": {
			{func(c ctx, h h, by by) (string, error) {
				id := h.asked(h.task("guest"), false)
				_, err := h.AnswerQuestion(c, by, string(id), service.Answer{Text: "Yes"})
				return string(id), err
			}, store.DeedAnswer, "question guest "},
			{func(c ctx, h h, by by) (string, error) {
				id := h.asked(h.task("guest"), false)
				_, err := h.AnswerQuestion(c, by, string(id), service.Answer{Decline: true})
				return string(id), err
			}, store.DeedDecline, "question guest "},
			{func(c ctx, h h, by by) (string, error) {
				id := h.asked(h.task("guest"), true)
				_, err := h.AnswerQuestion(c, by, string(id), service.Answer{Text: "yes"})
				return string(id), err
			}, store.DeedApprove, "question guest yes"},
		},
		"AnswerShown": {{func(c ctx, h h, by by) (string, error) {
			id := h.asked(h.task("guest"), true)
			_, err := h.AnswerShown(c, by, id, service.Answer{Text: "no, that is a secret"})
			return string(id), err
		}, store.DeedDisapprove, "question guest "}},
		"CancelTask": {{func(c ctx, h h, by by) (string, error) {
			id := h.task("guest").ID
			_, err := h.CancelTask(c, by, id, "a secret")
			return string(id), err
		}, store.DeedTaskCancel, "task guest "}},
		"CancelTasks": {{func(c ctx, h h, by by) (string, error) {
			id := string(h.task("guest").ID)
			_, err := h.CancelTasks(c, by, []string{id}, "*", "a secret")
			return id, err
		}, store.DeedTaskCancel, "task guest "}},
		"Stop": {{func(c ctx, h h, by by) (string, error) {
			id := h.session("guest")
			_, err := h.store.Accept(h.t.Context(), store.InboxMessage{Route: errand.WebRoute("main"), Person: "guest", Role: errand.Guest, MessageID: "m1", Text: "a secret"})
			if err != nil {
				return "", err
			}
			_, err = h.Stop(c, by, chatOf("guest"), false)
			return string(id), err
		}, store.DeedStop, "session guest "}},
		"DeleteSession": {{func(c ctx, h h, by by) (string, error) {
			id := h.session("guest")
			_, err := h.DeleteSession(c, by, id, false)
			return string(id), err
		}, store.DeedSessionDelete, "session guest "}},
		"ForgetNote": {{func(c ctx, h h, by by) (string, error) {
			if err := h.store.Remember(h.t.Context(), "guest", "nikki", store.Note{Key: "a secret", Value: "x"}); err != nil {
				return "", err
			}
			return "guest", h.ForgetNote(c, by, "guest", "nikki", "a secret")
		}, store.DeedNoteForget, "note guest nikki"}},
		"RetryOutbox": {{func(c ctx, h h, by by) (string, error) {
			id := h.delivery()
			return fmt.Sprint(id), h.RetryOutbox(c, by, id)
		}, store.DeedRetry, "delivery  "}},
		"DismissOutbox": {{func(c ctx, h h, by by) (string, error) {
			id := h.delivery()
			return fmt.Sprint(id), h.DismissOutbox(c, by, id)
		}, store.DeedDismiss, "delivery  "}},
		"Pause": {{func(c ctx, h h, by by) (string, error) { return "", h.Pause(c, by) }, store.DeedPause, "installation  "}},
		"Resume": {{func(c ctx, h h, by by) (string, error) {
			if err := h.store.Pause(h.t.Context(), "x"); err != nil {
				return "", err
			}
			return "", h.Resume(c, by)
		}, store.DeedResume, "installation  "}},
	}
}

func (h *house) idOf(plain string) string {
	_, token, err := h.store.PersonByToken(h.t.Context(), plain)
	if err != nil {
		h.t.Fatal(err)
	}
	return token.ID
}

// TestAudit proves that each deed of a person's leaves one entry, which says who they are, by
// which door they came and what they did, and has no words of anybody; and that what is
// refused leaves none.
func TestAudit(t *testing.T) {
	for method, list := range audited() {
		for _, d := range list {
			t.Run(method+" "+string(d.deed), func(t *testing.T) {
				h := newHouse(t, nil)
				try := func(by service.Actor) (subject string, err error) {
					defer func() {
						if v := recover(); v != nil { // there is no Temporal: see deed.try
							err = nil
						}
					}()
					return d.do(t.Context(), h, by)
				}
				if _, err := try(service.Actor{Person: "guest"}.Through(service.DoorAPI)); err == nil {
					t.Error("somebody without a role is not refused")
				}
				if list := servicetest.Must(h.Audit(t.Context(), as(errand.MasterAdmin), service.AuditFilter{}))(t); len(list) != 0 {
					t.Errorf("what was refused has left %+v", list)
				}
				subject, err := try(as(errand.MasterAdmin).Through(service.DoorPage))
				if err != nil {
					t.Fatal(err)
				}
				got := servicetest.Must(h.Audit(t.Context(), as(errand.MasterAdmin), service.AuditFilter{}))(t)
				if len(got) != 1 {
					t.Fatalf("it has left %+v", got)
				}
				e := got[0]
				if e.Person != "master_admin" || e.Door != service.DoorPage || e.Via != "" || e.Deed != d.deed || subject != "" && e.Subject != subject || !e.Time.Equal(noon) {
					t.Errorf("it has left %+v, of %q", e, subject)
				}
				if note := fmt.Sprintf("%s %s %s", e.Kind, e.Whose, e.Detail); note != d.note {
					t.Errorf("it has left %q, want %q", note, d.note)
				}
			})
		}
	}
}

// TestAuditDoers proves that the audit log tells what acts for somebody from themselves.
func TestAuditDoers(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	plain, id := h.token("member")
	cancel := func(by service.Actor) error {
		_, err := h.CancelTask(ctx, by, h.task("member").ID, "")
		return err
	}
	call := store.Call{Person: "member", Agent: "nikki", Origin: errand.Origin{Person: "member", Role: errand.Member, SessionKey: chatOf("member")}}
	owner := as(errand.MasterAdmin)
	for _, test := range []struct {
		name string
		do   func() error
		want store.Doer
	}{
		{"themselves", func() error { return cancel(owner.Through("telegram")) }, store.Doer{Person: "master_admin", Door: "telegram"}},
		{"a token", func() error { return cancel(servicetest.Must(h.Login(ctx, plain))(t).Through(service.DoorMCP)) }, store.Doer{Person: "member", Via: id, Door: "mcp"}},
		{"a login that a token made", func() error {
			login := servicetest.Must(h.NewLogin(ctx, servicetest.Must(h.Login(ctx, plain))(t), "browser", time.Hour))(t)
			return cancel(servicetest.Must(h.Login(ctx, login))(t).Through(service.DoorPage))
		}, store.Doer{Person: "member", Via: id, Door: "page"}},
		{"the token of the installation", func() error { return cancel(owner.AsProgram().Through(service.DoorCLI)) }, store.Doer{Person: "master_admin", Via: "program", Door: "cli"}},
		{"a message of the page", func() error { return cancel(owner.Through("web").WithTokenOf(owner.Through(service.DoorPage))) }, store.Doer{Person: "master_admin", Door: "page"}},
		{"an agent", func() error { _, err := h.CancelTaskFor(ctx, call, h.task("member"), ""); return err }, store.Doer{Person: "member", Via: "nikki", Door: "agent"}},
		{"errand itself", func() error { _, err := h.EndTask(ctx, h.task("member").ID, ""); return err }, store.Doer{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := servicetest.Must(h.Audit(ctx, owner, service.AuditFilter{Deeds: []string{"tasks"}}))(t)
			if err := test.do(); err != nil {
				t.Fatal(err)
			}
			list := servicetest.Must(h.Audit(ctx, owner, service.AuditFilter{Deeds: []string{"tasks"}}))(t)
			switch n := len(list) - len(before); {
			case test.want == store.Doer{}:
				if n != 0 {
					t.Errorf("it has left %+v", list[0])
				}
			case n != 1 || list[0].Doer != test.want:
				t.Errorf("it has left %d entries, the last %+v, want %+v", n, list[0], test.want)
			}
		})
	}
	for _, e := range servicetest.Must(h.Audit(ctx, owner, service.AuditFilter{Person: "member"}))(t) {
		if e.Via == id && e.ViaName != "script" || e.Person != "member" {
			t.Errorf("an entry of theirs is %+v", e)
		}
	}
}

// TestAuditFilter proves what the list of it can be asked for.
func TestAuditFilter(t *testing.T) {
	h := newHouse(t, nil)
	owner := as(errand.MasterAdmin)
	_, err := h.Audit(t.Context(), owner, service.AuditFilter{Deeds: []string{"tokens", "murder"}})
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no deed "murder": there are people.role,`)
	servicetest.Must(h.SetRole(t.Context(), owner, "guest", errand.Member))(t)
	for who, want := range map[errand.PersonID]int{"MASTER_ADMIN": 1, "guest": 0, "p-gone": 0, "": 1} {
		if list := servicetest.Must(h.Audit(t.Context(), owner, service.AuditFilter{Person: who, Deeds: []string{"people.role"}}))(t); len(list) != want {
			t.Errorf("of %q there are %d", who, len(list))
		}
	}
}

// TestAuditAnswers proves that an answer which an agent hands on for somebody is noted as such.
func TestAuditAnswers(t *testing.T) {
	h := newHouse(t, nil)
	ctx, key := t.Context(), chatOf("member")
	origin := errand.Origin{Route: errand.WebRoute("main"), Person: "member", Role: errand.Member, SessionKey: key, Session: h.session("member"), Depth: 1}
	task, err := h.store.CreateTask(ctx, origin, store.NewTask{Agents: []errand.AgentName{"trains"}, Text: "find trains"}, "")
	if err != nil {
		t.Fatal(err)
	}
	id := h.asked(task, false)
	if _, err := h.store.Accept(ctx, store.InboxMessage{Route: origin.Route, Person: "member", Role: errand.Member, MessageID: "m1", Text: "Yes"}); err != nil {
		t.Fatal(err)
	}
	step := errand.StepKey{Owner: errand.SessionOwner(origin.Session), Turn: 1, Step: 1}
	if _, err := h.store.BeginStep(ctx, store.BeginStep{Key: step, Session: key, Window: 40, Rows: store.ClaimAll}); err != nil {
		t.Fatal(err)
	}
	call := store.Call{Key: errand.CallKey{StepKey: step, Index: 1}, Person: "member", Agent: "nikki", Origin: origin}
	for range 2 { // the tool may be run again
		servicetest.Must(h.AnswerQuestionFor(ctx, call, string(id), "Yes"))(t)
	}
	list := servicetest.Must(h.Audit(ctx, as(errand.MasterAdmin), service.AuditFilter{}))(t)
	want := store.Doer{Person: "member", Via: "nikki", Door: "agent"}
	if len(list) != 1 || list[0].Deed != store.DeedAnswer || list[0].Subject != string(id) || list[0].Doer != want {
		t.Errorf("it has left %+v", list)
	}
}
