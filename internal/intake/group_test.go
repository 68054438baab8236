package intake_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"errand/api"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/intaketest"
	"errand/internal/test/servicetest"
	"errand/internal/when"
)

var errAway = errors.New("no server")

// updates is a client on which updates fail: whoever gets so far was let.
type updates struct{ *dispatchtest.Client }

func (updates) NewWithStartWorkflowOperation(client.StartWorkflowOptions, any, ...any) client.WithStartWorkflowOperation {
	return nil
}

func (updates) UpdateWithStartWorkflow(context.Context, client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	return nil, errAway
}

func group(t *testing.T, shared bool) *door {
	signals := &dispatchtest.Client{}
	d := newDoor(t, func(deps *intaketest.Deps) {
		deps.Dispatch, deps.Sticky = dispatchtest.New(t, updates{signals}, deps.Store), true
		deps.Shared = func(core.Route) bool { return shared }
	})
	d.signals = signals
	for _, role := range core.Roles() {
		if err := d.Link(t.Context(), d.admin(), core.PersonID(role), "whatsapp", "", "id of "+string(role)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

var place = core.Route{Channel: "whatsapp", Account: "main", Chat: "group"}

func (d *door) groupInbound(who core.Role, text string) intake.Inbound {
	in := d.inbound(text, "id of "+string(who))
	in.Route, in.Group = place, true
	return in
}

func (d *door) send(who core.Role, text, language string) (string, error) {
	d.t.Helper()
	if err := d.SetLanguage(d.t.Context(), d.admin(), core.PersonID(who), language); err != nil {
		d.t.Fatal(err)
	}
	out, err := d.Receive(d.t.Context(), d.groupInbound(who, text))
	return out.Answer, err
}

func (d *door) gives(who core.Role, key core.SessionKey, text string) core.TaskID {
	d.t.Helper()
	found, err := d.store.Rehydrate(d.t.Context(), key, "nikki")
	if err != nil {
		d.t.Fatal(err)
	}
	task, err := d.store.CreateTask(d.t.Context(), core.Origin{SessionKey: key, Session: found.Session, Person: core.PersonID(who), Role: who},
		store.NewTask{Agents: []core.AgentName{"finn"}, Text: text}, "")
	if err != nil {
		d.t.Fatal(err)
	}
	return task.ID
}

func (d *door) stops() []any {
	return slices.DeleteFunc(slices.Clone(d.signals.Args), func(arg any) bool { _, stop := arg.(wire.StopSignal); return !stop })
}

func (d *door) open(id core.TaskID) bool {
	d.t.Helper()
	task, err := d.store.Task(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return !task.State.Terminal()
}

// TestCommandsForAll proves that a guest does not change the session that all of
// a group share, is told why, and may do so with a session of their own.
func TestCommandsForAll(t *testing.T) {
	for command, answers := range map[string]bool{"/reset": true, "/new": true, "/new sasha": true, "/busy queue": true, "/busy": false, "/agent": false} {
		t.Run(command, func(t *testing.T) {
			d := group(t, true)
			name, _, _ := strings.Cut(command, " ")
			en, err := d.send(core.Guest, command, "en")
			want := "Everyone in this group shares this session, so " + name + " needs the role Member or higher here; yours is Guest."
			if err != nil || (en == want) != answers {
				t.Errorf("a guest is answered %q, %v", en, err)
			}
			es, err := d.send(core.Guest, command, "es")
			if err != nil || strings.HasPrefix(es, "Todo este grupo comparte esta sesión, así que aquí "+name+" requiere el rol Miembro") != answers {
				t.Errorf("a guest is answered %q, %v", es, err)
			}
			if answer, err := d.send(core.Member, command, "en"); answers != errors.Is(err, errAway) {
				t.Errorf("a member is answered %q, %v", answer, err)
			}
			if answer, err := group(t, false).send(core.Guest, command, "en"); answers != errors.Is(err, errAway) {
				t.Errorf("a guest whose own session it is is answered %q, %v", answer, err)
			}
		})
	}
}

// TestStopInSharedGroup proves that a guest ends what they have asked for, and
// nothing of others, and that a member ends everything.
func TestStopInSharedGroup(t *testing.T) {
	d := group(t, true)
	key := core.NewSessionKey(place, core.Everyone)
	partners := d.gives(core.Partner, key, "research")
	for language, want := range map[string]string{
		"en": "To end with /stop what others asked for, you need the role Member or higher; yours is Guest.",
		"es": "Para terminar con /stop lo que han pedido otras personas necesitas el rol Miembro o superior; el tuyo es Invitado.",
	} {
		for _, command := range []string{"/stop", "/stop all"} {
			if answer, err := d.send(core.Guest, command, language); err != nil || answer != want {
				t.Errorf("%s is answered %q, %v", command, answer, err)
			}
		}
	}
	own := d.gives(core.Guest, key, "my own")
	answer, err := d.send(core.Guest, "/stop all", "en")
	if err != nil || answer != "I stopped what you asked for." {
		t.Errorf("/stop all is answered %q, %v", answer, err)
	}
	if d.open(own) || !d.open(partners) || len(d.stops()) > 0 {
		t.Errorf("at work: the guest's %v, the partner's %v; stopped: %v", d.open(own), d.open(partners), d.stops())
	}
	if answer, err := d.send(core.Member, "/stop all", "en"); err != nil || answer != "Stopped, along with every open task." || d.open(partners) {
		t.Errorf("a member's /stop all is answered %q, %v; the task is at work: %v", answer, err, d.open(partners))
	}
	if len(d.stops()) > 0 {
		t.Errorf("no turn ran, and the session is signalled %v", d.stops())
	}
}

// TestStopAllOfMany proves that /stop all ends every task, however many there are.
func TestStopAllOfMany(t *testing.T) {
	d := group(t, true)
	key := core.NewSessionKey(place, core.Everyone)
	var ids []core.TaskID
	for i := range 120 {
		ids = append(ids, d.gives(core.Member, key, fmt.Sprint("research ", i)))
	}
	if answer, err := d.send(core.Member, "/stop all", "en"); err != nil || answer != "Stopped, along with every open task." {
		t.Errorf("/stop all is answered %q, %v", answer, err)
	}
	if slices.ContainsFunc(ids, d.open) {
		t.Error("one is still at work")
	}
}

// TestStopTurn proves that a guest ends a turn that answers them, a member any, and
// that the session is told which: it may be at another by then.
func TestStopTurn(t *testing.T) {
	for _, test := range []struct {
		who          core.Role
		send, answer string
	}{
		{core.Guest, "/stop", "I stopped what you asked for."},
		{core.Guest, "/stop all", "I stopped what you asked for."},
		{core.Member, "/stop", "Stopped."},
		{core.Member, "/stop all", "Stopped, along with every open task."},
	} {
		t.Run(string(test.who)+" "+test.send, func(t *testing.T) { testStopTurn(t, test.who, test.send, test.answer) })
	}
}

func testStopTurn(t *testing.T, who core.Role, send, want string) {
	d := group(t, true)
	key := core.NewSessionKey(place, core.Everyone)
	found := servicetest.Must(d.store.Rehydrate(t.Context(), key, "nikki"))(t)
	if _, err := d.send(core.Guest, "hello", "en"); err != nil {
		t.Fatal(err)
	}
	step := store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(found.Session), Turn: 1, Step: 1}, Session: key, Window: 40, Rows: store.ClaimAll}
	servicetest.Must(d.store.BeginStep(t.Context(), step))(t)
	if answer, err := d.send(who, send, "en"); err != nil || answer != want {
		t.Errorf("it is answered %q, %v", answer, err)
	}
	if _, err := d.store.BeginStep(t.Context(), step); !errors.Is(err, store.ErrClosed) {
		t.Errorf("the turn goes on: %v", err)
	}
	if got := d.stops(); !slices.Equal(got, []any{wire.StopSignal{Session: found.Session, Turn: 1}}) {
		t.Errorf("the session is stopped by %v", got)
	}
}

// TestCancelInSharedGroup proves that whoever asked for a task may cancel it where
// a session is shared, also where others may not.
func TestCancelInSharedGroup(t *testing.T) {
	d := group(t, true)
	if err := d.Rights.Set("group_session", "/cancel", core.Partner); err != nil {
		t.Fatal(err)
	}
	key := core.NewSessionKey(place, core.Everyone)
	own, other := d.gives(core.Member, key, "mine"), d.gives(core.Partner, key, "another's")
	answer, err := d.send(core.Member, "/cancel "+string(other), "en")
	if err != nil || !strings.HasPrefix(answer, "To end with /cancel what others asked for, you need the role Partner or higher") || !d.open(other) {
		t.Errorf("/cancel of another's task is answered %q, %v", answer, err)
	}
	if answer, err := d.send(core.Member, "/cancel "+string(own), "en"); err != nil || d.open(own) {
		t.Errorf("/cancel of one's own task is answered %q, %v", answer, err)
	}
	if answer, err := d.send(core.Partner, "/cancel "+string(other), "en"); err != nil || d.open(other) {
		t.Errorf("/cancel of a partner is answered %q, %v", answer, err)
	}
}

// TestNoWayAroundCancel proves that an agent cancels for somebody no task that they
// may not cancel themselves.
func TestNoWayAroundCancel(t *testing.T) {
	d := group(t, true)
	if err := d.Rights.Set("group_session", "/cancel", core.Partner); err != nil {
		t.Fatal(err)
	}
	key := core.NewSessionKey(place, core.Everyone)
	cancel := func(who core.Role, id core.TaskID) error {
		call := store.Call{Person: core.PersonID(who), Origin: core.Origin{SessionKey: key, Person: core.PersonID(who), Role: who}}
		_, err := ops.Do(t.Context(), d.Runner, api.CancelTaskByTool, call.Actor("kill_async_agent"), api.ToolTaskInput{ID: id})
		return err
	}
	own, other := d.gives(core.Member, key, "mine"), d.gives(core.Partner, key, "another's")
	servicetest.WantRefusal(t, cancel(core.Member, other), service.KindForbidden, "you need the role Partner")
	if !d.open(other) {
		t.Error("another's task has ended")
	}
	if err := cancel(core.Member, own); err != nil || d.open(own) {
		t.Errorf("their own: %v", err)
	}
	if err := cancel(core.Partner, other); err != nil || d.open(other) {
		t.Errorf("for a partner: %v", err)
	}
}

// TestGroupReads proves that a command given in a group tells the others nothing
// that belongs to the person alone, or to another chat, and says where to ask;
// and that it does tell whoever alone reads the answer.
func TestGroupReads(t *testing.T) {
	for _, shared := range []bool{false, true} {
		d := group(t, shared)
		who, alone := core.MasterAdmin, core.NewSessionKey(core.Route{Channel: "whatsapp", Account: "main", Chat: "alone"}, "master_admin")
		here := core.NewSessionKey(place, "master_admin")
		if shared {
			here = core.NewSessionKey(place, core.Everyone)
		}
		d.knock("/pair", "4930555")
		secret, known := d.gives(who, alone, "a secret errand"), d.gives(who, here, "an errand of the group")
		for key, text := range map[core.SessionKey]string{alone: "a secret appointment", here: "an appointment of the group"} {
			spec := servicetest.Must(when.Parse("tomorrow at 9", d.now, time.UTC))(t)
			next, _ := spec.Next(d.now)
			servicetest.Must(d.store.CreateReminder(t.Context(), store.Reminder{Reminder: core.Reminder{Person: "master_admin", Text: text, Next: next}, Key: key, Role: who, Spec: spec}))(t)
		}
		private := "Others can read this chat, so I won't show %s here. Ask me in our private chat."
		for _, test := range []struct{ command, want, secret string }{
			{"/whoami", fmt.Sprintf(private, "/whoami"), "id of master_admin"},
			{"/usage", fmt.Sprintf(private, "/usage"), "Today:"},
			{"/pair", fmt.Sprintf(private, "/pair"), "4930555"},
			{"/status", "Open tasks: 1", "Today:"},
			{"/tasks", "an errand of the group", ""},
			{"/task " + string(known), "an errand of the group", ""},
			{"/task " + string(secret), "There is no task " + string(secret) + " in this chat.", "a secret errand"},
			{"/reminders", "an appointment of the group", "a secret appointment"},
			{"/cancel " + string(secret), "for tasks from other chats, ask me in our private chat", "is canceled"},
		} {
			answer, err := d.send(who, test.command, "en")
			if err != nil || !strings.Contains(answer, test.want) || strings.Contains(answer, "secret") || test.secret != "" && strings.Contains(answer, test.secret) {
				t.Errorf("shared %v: %s is answered %q, %v", shared, test.command, answer, err)
			}
			in := d.groupInbound(who, test.command)
			in.Private = true
			if out, err := d.Receive(t.Context(), in); err != nil || !strings.Contains(out.Answer, test.secret) {
				t.Errorf("shared %v: %s is answered %q to who alone reads it, %v", shared, test.command, out.Answer, err)
			}
		}
		if d.open(secret) {
			t.Errorf("shared %v: who alone reads the answer cannot cancel their task", shared)
		}
	}
}
