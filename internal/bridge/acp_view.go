package bridge

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/coder/acp-go-sdk"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type view struct {
	s       *session
	replays bool // true during a replay: the view then makes no calls to the worker

	mu       sync.Mutex
	text     bool            // the last output was text from errand, so the next text starts a paragraph
	streamed strings.Builder // the streamed text of the current model call
	mode     acp.SessionModeId
	calls    map[string]acp.ToolCallId // cards of the turn's current tool calls, by tool
	called   int
	tasks    map[core.TaskID]core.TaskState
	ended    []core.TaskID // during a replay
	gone     bool          // the worker is unreachable, and the user has been informed
}

func newView(s *session) *view {
	return &view{s: s, mode: s.modes.CurrentModeId, calls: map[string]acp.ToolCallId{}, tasks: map[core.TaskID]core.TaskState{}}
}

// send only logs an error. If the editor is gone, the connection ends too.
func (v *view) send(u acp.SessionUpdate) {
	if err := v.s.agent.conn.SessionUpdate(context.Background(), acp.SessionNotification{SessionId: v.s.id, Update: u}); err != nil {
		v.s.agent.log.Debug("update not sent", "chat", v.s.id, "error", err)
	}
}

func (v *view) write(text string, begins bool) {
	if text == "" {
		return
	}
	if begins && v.text {
		text = "\n\n" + text
	}
	v.text = true
	v.send(acp.UpdateAgentMessageText(text))
}

func (v *view) show(u acp.SessionUpdate) {
	v.text = false
	v.send(u)
}

func (v *view) say(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.write(text, true)
}

// trouble reports once that the worker is unreachable. A nil error means that it is back.
func (v *view) trouble(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil && !v.gone {
		v.show(acp.UpdateAgentThoughtText("errand is not reachable, trying again…"))
	}
	v.gone = err != nil
}

func (v *view) take(e console.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e.Type {
	case core.EventMessage:
		if (v.replays || !v.s.isOwn(e.Message)) && e.Cause == "" && e.Text != "" {
			v.show(acp.UpdateUserMessageText(e.Text))
		}
	case core.EventDelta:
		if e.Task == "" {
			v.write(e.Text, v.streamed.Len() == 0)
			v.streamed.WriteString(e.Text)
		}
	case core.EventReset:
		if e.Task == "" {
			v.streamed.Reset() // shown text cannot be removed: new text follows it
		}
	case core.EventStep:
		v.step(e)
	case core.EventTask:
		v.task(e)
	case core.EventReply, core.EventQuestion:
		if !standsAlone(e) {
			v.reply(e)
		}
	case core.EventLate:
		v.late(e)
	case core.EventNotice:
		v.end(e)
		v.write(e.Body(), true)
	case core.EventError:
		v.end(e)
		v.write("errand: "+e.Body()+offered(e.Options), true)
	case core.EventFile:
		if e.File != nil {
			address := api.URL(v.s.agent.worker.Base, api.GetFileVersion, api.GetFileVersionInput{ID: e.File.ID})
			v.show(acp.UpdateAgentMessage(acp.ResourceLinkBlock(e.File.Name, address)))
		}
	}
}

func (v *view) step(e console.Event) {
	switch {
	case e.Task != "":
		v.card(e.Task, e.Agent, "", core.Working)
		v.show(acp.UpdateToolCall(acp.ToolCallId(e.Task), acp.WithUpdateContent(content(e.Who()+": "+e.Text))))
		return
	case e.PlanChanged:
		v.plan()
		return
	}
	v.streamed.Reset() // later text belongs to the next model call
	if e.Tool == "" {
		v.endCalls()
		return
	}
	if id, ok := v.calls[e.Tool]; ok {
		v.show(acp.UpdateToolCall(id, acp.WithUpdateTitle(e.Text)))
		return
	}
	v.called++
	id := acp.ToolCallId(fmt.Sprintf("%s-%d-%d", e.Session, e.Turn, v.called))
	v.calls[e.Tool] = id
	v.show(acp.StartToolCall(id, e.Text, acp.WithStartKind(kindOf(e.Tool)), acp.WithStartStatus(acp.ToolCallStatusInProgress)))
}

func kindOf(tool string) acp.ToolKind {
	switch tool {
	case "read_file", "list_files", "read_artifact", "recall", "list_working_memory":
		return acp.ToolKindRead
	case "write_file", "edit_file":
		return acp.ToolKindEdit
	case "find_in_files", "web_search":
		return acp.ToolKindSearch
	case "web_fetch":
		return acp.ToolKindFetch
	case "run_code":
		return acp.ToolKindExecute
	}
	return acp.ToolKindOther
}

func (v *view) endCalls() {
	for tool, id := range v.calls {
		delete(v.calls, tool)
		v.show(acp.UpdateToolCall(id, acp.WithUpdateStatus(acp.ToolCallStatusCompleted)))
	}
}

func (v *view) end(e console.Event) {
	if e.Turn > 0 {
		v.endCalls()
		v.streamed.Reset()
	}
}

func (v *view) rest(text string) bool {
	begun := strings.TrimSpace(v.streamed.String())
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), begun)
	ok = ok && begun != ""
	v.streamed.Reset()
	if ok {
		v.write(rest, false)
	}
	return ok
}

func (v *view) reply(e console.Event) {
	text := strings.TrimSpace(e.Text) + offered(e.Options)
	if !v.rest(text) {
		v.write(text, true)
	}
	v.endCalls()
	if e.Agent != "" {
		v.changeMode(acp.SessionModeId(e.Agent))
	}
}

func (v *view) late(e console.Event) {
	what := "a late result"
	switch {
	case e.Cause != "" && e.Cause != core.CutOff && e.Cause != core.Withheld:
		what = "a " + e.Cause
	case e.Task != "":
		what = "the late result of " + string(e.Task)
	}
	if v.rest(e.Text) {
		v.write("*(that was "+what+")*", true)
		return
	}
	v.write("**"+e.Who()+", "+what+":**", true)
	v.write(strings.TrimSpace(e.Text), true)
}

func offered(options []string) string {
	if len(options) == 0 {
		return ""
	}
	return "\n\n- " + strings.Join(options, "\n- ")
}

func (v *view) setMode(id acp.SessionModeId) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mode = id
}

func (v *view) changeMode(id acp.SessionModeId) {
	if id == v.mode || v.replays {
		return
	}
	v.mode = id
	v.send(acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: id}})
}

func (v *view) plan() {
	p, err := v.s.plan()
	if err != nil || p.Items == nil {
		v.s.agent.log.Debug("plan not read", "chat", v.s.id, "error", err)
		return
	}
	entries := []acp.PlanEntry{}
	for _, item := range p.Items {
		status := map[core.PlanState]acp.PlanEntryStatus{
			core.PlanPending: acp.PlanEntryStatusPending, core.PlanDoing: acp.PlanEntryStatusInProgress, core.PlanDone: acp.PlanEntryStatusCompleted,
		}[item.State]
		entries = append(entries, acp.PlanEntry{Content: item.Text, Priority: acp.PlanEntryPriorityMedium, Status: cmp.Or(status, acp.PlanEntryStatusPending)})
	}
	v.show(acp.UpdatePlan(entries...))
}

func (v *view) task(e console.Event) {
	before, known := v.tasks[e.Task]
	if known && before.Terminal() { // its state is final
		return
	}
	v.card(e.Task, e.Agent, e.Text, e.State)
	if !e.State.Terminal() {
		return
	}
	if v.replays {
		v.ended = append(v.ended, e.Task)
		return
	}
	v.result(e.Task)
}

func (v *view) card(id core.TaskID, agent core.AgentName, title string, state core.TaskState) {
	before, known := v.tasks[id]
	v.tasks[id] = state
	switch {
	case !known:
		name := strings.TrimSuffix(agent.Display()+": "+cmp.Or(title, string(id)), ": ")
		v.show(acp.StartToolCall(acp.ToolCallId(id), name, acp.WithStartKind(acp.ToolKindOther), acp.WithStartStatus(statusOf(state))))
	case before != state:
		v.show(acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateStatus(statusOf(state))))
	}
}

func statusOf(s core.TaskState) acp.ToolCallStatus {
	switch s {
	case core.Submitted, core.InputRequired:
		return acp.ToolCallStatusPending
	case core.Completed:
		return acp.ToolCallStatusCompleted
	case core.Failed, core.Canceled, core.Rejected:
		return acp.ToolCallStatusFailed
	}
	return acp.ToolCallStatusInProgress
}

func (v *view) result(id core.TaskID) {
	t, err := v.s.task(id)
	if err != nil {
		v.s.agent.log.Debug("task not read", "task", id, "error", err)
		return
	}
	if text := strings.TrimSpace(cmp.Or(t.Result, t.Error, string(t.State))); text != "" {
		v.show(acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateContent(content(text))))
	}
}

// mostResults limits a replay. The agent has reported the other results in the chat.
const mostResults = 20

func (v *view) settle() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, id := range v.ended[max(0, len(v.ended)-mostResults):] {
		v.result(id)
	}
	v.ended = nil
	v.plan()
}

func content(text string) []acp.ToolCallContent {
	return []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(text))}
}

func (v *view) settleCard(id acp.ToolCallId, status acp.ToolCallStatus) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.show(acp.UpdateToolCall(id, acp.WithUpdateStatus(status)))
}
