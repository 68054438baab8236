package service_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// asked is a question that an agent, at work on a task, asks the person; with approval, one
// that waits for a yes.
func (h *house) asked(task core.Task, approval bool) core.QuestionID {
	h.t.Helper()
	return h.askedIn(store.BeginStep{Key: core.StepKey{Owner: core.SubAgentOwner(task.ID, "trains"), Turn: 1, Step: 1}, Window: 40}, approval)
}

func (h *house) askedIn(step store.BeginStep, approval bool) core.QuestionID {
	h.t.Helper()
	ctx := h.t.Context()
	step.Approved = approval
	b, err := h.store.BeginStep(ctx, step)
	if err != nil {
		h.t.Fatal(err)
	}
	q := store.NewQuestion{ID: core.NewQuestionID(), Text: "When?", Options: []string{"Yes", "No"}, Pace: store.DefaultQuestionPace()}
	in := store.CommitStep{Step: b, Calls: []core.ToolCall{{ID: "c1", Name: "ask_user", Arguments: "{}"}}}
	if approval {
		in.Planned = []store.PlannedCall{{By: store.ByApproval, Tool: "pay"}}
		in.Approvals = map[int]store.NewApproval{1: {NewQuestion: q, Approval: core.Approval{Tool: "pay", Arguments: "{}"}, Rule: core.ApproveAlways}}
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
	ctx, at := h.t.Context(), core.Route{Channel: "telegram", Account: "main", Chat: core.ShortID(4)}
	if _, err := h.store.Answer(ctx, core.Notification{Key: at.Chat, Route: at, Event: core.EventNotice, Text: "x"}); err != nil {
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

func (h *house) token(person core.PersonID) (plain, id string) {
	h.t.Helper()
	plain, token, err := h.store.CreateToken(h.t.Context(), core.Token{Person: person, Kind: core.TokenAPI, Name: "script"}, time.Hour)
	if err != nil {
		h.t.Fatal(err)
	}
	return plain, token.ID
}

func (h *house) asks() string {
	h.t.Helper()
	p, _, err := h.Logins.AskLogin(h.t.Context(), "laptop", "en", "192.0.2.7")
	if err != nil {
		h.t.Fatal(err)
	}
	return p.Code
}

// A logged deed is what somebody does with a method that the audit log keeps.
type logged struct {
	do   func(ctx context.Context, h *house, by actor.Actor) (subject string, err error)
	deed core.Deed
	note string // kind, whose it is, and the detail
}

func audited() map[string][]logged {
	type h = *house
	type by = actor.Actor
	type ctx = context.Context
	return map[string][]logged{
		"SetRole": {{func(c ctx, h h, by by) (string, error) {
			_, err := h.SetRole(c, by, "guest", core.Member)
			return "guest", err
		}, core.DeedRole, "person guest member"}},
		"SetName":     {{func(c ctx, h h, by by) (string, error) { return "guest", h.SetName(c, by, "guest", "Gil") }, core.DeedPersonChange, "person guest name"}},
		"SetLanguage": {{func(c ctx, h h, by by) (string, error) { return "guest", h.SetLanguage(c, by, "guest", "es") }, core.DeedPersonChange, "person guest language"}},
		"SetTimeZone": {{func(c ctx, h h, by by) (string, error) {
			return "guest", h.SetTimeZone(c, by, "guest", "")
		}, core.DeedPersonChange, "person guest time_zone"}},
		"RemovePerson": {{func(c ctx, h h, by by) (string, error) { return "guest", h.RemovePerson(c, by, "guest") }, core.DeedPersonRemove, "person guest "}},
		"Link": {{func(c ctx, h h, by by) (string, error) {
			return "telegram/main/7", h.Link(c, by, "guest", "telegram", "main", "7")
		}, core.DeedLink, "identity guest "}},
		"Unlink": {{func(c ctx, h h, by by) (string, error) {
			if err := h.store.AddIdentity(h.t.Context(), core.Identity{Channel: "discord", Account: "main", ExternalID: "7", Person: "guest"}); err != nil {
				return "", err
			}
			return "discord/main/7", h.Unlink(c, by, "guest", "discord", "main", "7")
		}, core.DeedUnlink, "identity guest "}},
		"CreateToken": {{func(c ctx, h h, by by) (string, error) {
			_, token, err := h.CreateToken(c, by, "guest", api.NewToken{Name: "x"})
			return token.ID, err
		}, core.DeedTokenMake, "token guest api"}},
		"NewLogin": {{func(c ctx, h h, by by) (string, error) {
			plain, err := h.Logins.NewLogin(c, by, "browser", time.Hour)
			if err != nil {
				return "", err
			}
			return h.idOf(plain), nil
		}, core.DeedTokenMake, "token master_admin login"}},
		"CreateLoginLink": {{func(c ctx, h h, by by) (string, error) {
			return "", do(c, h, api.CreateLoginLink, by, api.CreateLoginLinkInput{})
		}, core.DeedTokenMake, "token master_admin link"}},
		"RevokeToken": {{func(c ctx, h h, by by) (string, error) {
			_, id := h.token("guest")
			return id, h.RevokeToken(c, by, id)
		}, core.DeedTokenRevoke, "token guest api"}},
		"RevokeOwnToken": {{func(c ctx, h h, by by) (string, error) {
			_, id := h.token(by.Person)
			return id, h.RevokeOwnToken(c, by, id)
		}, core.DeedTokenRevoke, "token master_admin api"}},
		"Approve": {{func(c ctx, h h, by by) (string, error) {
			code := h.asks()
			_, _, err := h.Approve(c, by, code, "", "guest")
			return code, err
		}, core.DeedPairingApprove, "pairing guest guest"}},
		"Deny": {{func(c ctx, h h, by by) (string, error) { code := h.asks(); return code, h.Deny(c, by, code) }, core.DeedPairingDeny, "pairing  "}},
		"answerQuestion": {
			{func(c ctx, h h, by by) (string, error) {
				id := h.asked(h.task("guest"), false)
				_, err := h.AnswerQuestion(c, by, id, api.QuestionAnswer{Text: "Yes"})
				return string(id), err
			}, core.DeedAnswer, "question guest "},
			{func(c ctx, h h, by by) (string, error) {
				id := h.asked(h.task("guest"), false)
				_, err := h.AnswerQuestion(c, by, id, api.QuestionAnswer{Decline: true})
				return string(id), err
			}, core.DeedDecline, "question guest "},
			{func(c ctx, h h, by by) (string, error) {
				id := h.asked(h.task("guest"), true)
				_, err := h.AnswerQuestion(c, by, id, api.QuestionAnswer{Text: "yes"})
				return string(id), err
			}, core.DeedApprove, "question guest yes"},
		},
		"answerQuestion, shown": {{func(c ctx, h h, by by) (string, error) {
			id := h.asked(h.task("guest"), true)
			return string(id), h.answerShown(c, by, id, "no, that is a secret")
		}, core.DeedDisapprove, "question guest "}},
		"CancelTask": {{func(c ctx, h h, by by) (string, error) {
			id := h.task("guest").ID
			_, err := h.CancelTask(c, by, id, "a secret")
			return string(id), err
		}, core.DeedTaskCancel, "task guest "}},
		"cancelTasks": {{func(c ctx, h h, by by) (string, error) {
			id := string(h.task("guest").ID)
			_, err := h.CancelTasks(c, by, []string{id}, "*", "a secret")
			return id, err
		}, core.DeedTaskCancel, "task guest "}},
		"retryDelivery": {{func(c ctx, h h, by by) (string, error) {
			id := h.delivery()
			return fmt.Sprint(id), do(c, h, api.RetryDelivery, by, api.DeliveryID{ID: id})
		}, core.DeedRetry, "delivery  "}},
		"dismissDelivery": {{func(c ctx, h h, by by) (string, error) {
			id := h.delivery()
			return fmt.Sprint(id), do(c, h, api.DismissDelivery, by, api.DeliveryID{ID: id})
		}, core.DeedDismiss, "delivery  "}},
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
				try := func(by actor.Actor) (subject string, err error) {
					defer func() {
						if v := recover(); v != nil { // there is no Temporal: see deed.try
							err = nil
						}
					}()
					return d.do(t.Context(), h, by)
				}
				if _, err := try(actor.Actor{Person: "guest"}.Through(service.DoorAPI)); err == nil {
					t.Error("somebody without a role is not refused")
				}
				if list := servicetest.Must(h.Audit(t.Context(), as(core.MasterAdmin), ""))(t); len(list) != 0 {
					t.Errorf("what was refused has left %+v", list)
				}
				subject, err := try(as(core.MasterAdmin).Through(service.DoorPage))
				if err != nil {
					t.Fatal(err)
				}
				got := servicetest.Must(h.Audit(t.Context(), as(core.MasterAdmin), ""))(t)
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
	cancel := func(by actor.Actor) error {
		_, err := h.CancelTask(ctx, by, h.task("member").ID, "")
		return err
	}
	call := store.Call{Person: "member", Agent: "nikki", Origin: core.Origin{Person: "member", Role: core.Member, SessionKey: chatOf("member")}}
	owner := as(core.MasterAdmin)
	for _, test := range []struct {
		name string
		do   func() error
		want core.Doer
	}{
		{"themselves", func() error { return cancel(owner.Through("telegram")) }, core.Doer{Person: "master_admin", Door: "telegram"}},
		{"a token", func() error { return cancel(servicetest.Must(h.Logins.Login(ctx, plain))(t).Through(service.DoorMCP)) }, core.Doer{Person: "member", Via: id, Door: "mcp"}},
		{"a login that a token made", func() error {
			login := servicetest.Must(h.Logins.NewLogin(ctx, servicetest.Must(h.Logins.Login(ctx, plain))(t), "browser", time.Hour))(t)
			return cancel(servicetest.Must(h.Logins.Login(ctx, login))(t).Through(service.DoorPage))
		}, core.Doer{Person: "member", Via: id, Door: "page"}},
		{"the token of the installation", func() error { return cancel(owner.AsProgram().Through(service.DoorCLI)) }, core.Doer{Person: "master_admin", Via: "program", Door: "cli"}},
		{"a message of the page", func() error { return cancel(owner.Through("web").WithTokenOf(owner.Through(service.DoorPage))) }, core.Doer{Person: "master_admin", Door: "page"}},
		{"an agent", func() error {
			return do(ctx, h, api.CancelTaskByTool, call.Actor("kill_async_agent"), api.ToolTaskInput{ID: h.task("member").ID})
		}, core.Doer{Person: "member", Via: "nikki", Door: "agent"}},
		{"errand itself", func() error { _, err := h.Internal.EndTask(ctx, h.task("member").ID, ""); return err }, core.Doer{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := servicetest.Must(h.Audit(ctx, owner, "", "tasks"))(t)
			if err := test.do(); err != nil {
				t.Fatal(err)
			}
			list := servicetest.Must(h.Audit(ctx, owner, "", "tasks"))(t)
			switch n := len(list) - len(before); {
			case test.want == core.Doer{}:
				if n != 0 {
					t.Errorf("it has left %+v", list[0])
				}
			case n != 1 || list[0].Doer != test.want:
				t.Errorf("it has left %d entries, the last %+v, want %+v", n, list[0], test.want)
			}
		})
	}
	for _, e := range servicetest.Must(h.Audit(ctx, owner, "member"))(t) {
		if e.Via == id && e.ViaName != "script" || e.Person != "member" {
			t.Errorf("an entry of theirs is %+v", e)
		}
	}
}

// TestAuditFilter proves what the list of it can be asked for.
func TestAuditFilter(t *testing.T) {
	h := newHouse(t, nil)
	owner := as(core.MasterAdmin)
	_, err := h.Audit(t.Context(), owner, "", "tokens", "murder")
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no deed "murder"; there are people.role,`)
	servicetest.Must(h.SetRole(t.Context(), owner, "guest", core.Member))(t)
	for who, want := range map[core.PersonID]int{"MASTER_ADMIN": 1, "guest": 0, "p-gone": 0, "": 1} {
		if list := servicetest.Must(h.Audit(t.Context(), owner, who, "people.role"))(t); len(list) != want {
			t.Errorf("of %q there are %d", who, len(list))
		}
	}
}

// askedInTurn is a question in the chat of a person, and a tool call of the turn that their next
// message began.
func (h *house) askedInTurn(person core.PersonID) (core.CallKey, core.QuestionID) {
	h.t.Helper()
	ctx, key := h.t.Context(), chatOf(person)
	origin := core.Origin{Route: core.WebRoute("main"), Person: person, Role: core.Member, SessionKey: key, Session: h.session(person), Depth: 1}
	id := h.asked(h.taskIn(key), false)
	if _, err := h.store.Accept(ctx, store.InboxMessage{Route: origin.Route, Person: person, Role: core.Member, MessageID: "m1", Text: "Yes"}); err != nil {
		h.t.Fatal(err)
	}
	step := core.StepKey{Owner: core.SessionOwner(origin.Session), Turn: 1, Step: 1}
	if _, err := h.store.BeginStep(ctx, store.BeginStep{Key: step, Session: key, Window: 40, Rows: store.ClaimAll}); err != nil {
		h.t.Fatal(err)
	}
	return core.CallKey{StepKey: step, Index: 1}, id
}

// taskIn is a task that was given in the chat of a person.
func (h *house) taskIn(key core.SessionKey) core.Task {
	h.t.Helper()
	route, person, err := key.Parse()
	if err != nil {
		h.t.Fatal(err)
	}
	origin := core.Origin{Route: route, Person: person, Role: core.Member, SessionKey: key, Session: h.session(person), Depth: 1}
	task, err := h.store.CreateTask(h.t.Context(), origin, store.NewTask{Agents: []core.AgentName{"trains"}, Text: "find trains"}, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return task
}

// TestAuditAnswers proves that an answer which an agent hands on for a person is noted as such.
func TestAuditAnswers(t *testing.T) {
	h := newHouse(t, nil)
	key, id := h.askedInTurn("member")
	by := as(core.Member)
	by.Here = chatOf("member")
	for range 2 { // the tool may be run again
		in := api.AnswerQuestionByToolInput{ID: string(id), Text: "Yes", Key: key}
		require.NoError(t, do(t.Context(), h, api.AnswerQuestionByTool, by.WithTool("answer_task", "nikki"), in))
	}
	list := servicetest.Must(h.Audit(t.Context(), as(core.MasterAdmin), ""))(t)
	want := core.Doer{Person: "member", Via: "nikki", Door: "agent"}
	if len(list) != 1 || list[0].Deed != core.DeedAnswer || list[0].Subject != string(id) || list[0].Doer != want {
		t.Errorf("it has left %+v", list)
	}
}
