package acpagent

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/coder/acp-go-sdk"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
)

// A view is what the editor shows of a chat.
type view struct {
	s       *session
	replays bool // what is told is over: nothing is asked of the worker for each of it

	mu       sync.Mutex
	text     bool            // the last that was shown is text of errand's: what follows is a paragraph of its own
	streamed strings.Builder // what is shown of the call that is answered now
	mode     acp.SessionModeId
	calls    map[string]acp.ToolCallId // cards of the tools that the turn calls now, by tool
	called   int
	tasks    map[errand.TaskID]errand.TaskState
	ended    []errand.TaskID // while it replays
	gone     bool            // the worker is, and the editor's person was told
}

func newView(s *session) *view {
	return &view{s: s, mode: s.modes.CurrentModeId, calls: map[string]acp.ToolCallId{}, tasks: map[errand.TaskID]errand.TaskState{}}
}

// send shows u. An editor that is gone ends the connection too.
func (v *view) send(u acp.SessionUpdate) {
	if err := v.s.agent.conn.SessionUpdate(context.Background(), acp.SessionNotification{SessionId: v.s.id, Update: u}); err != nil {
		v.s.agent.log.Debug("update not sent", "chat", v.s.id, "error", err)
	}
}

// write shows text; what begins a paragraph is kept apart from what stands before it.
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

// trouble says once that the worker is away, with nil that it is back.
func (v *view) trouble(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil && !v.gone {
		v.show(acp.UpdateAgentThoughtText("errand is not reachable, trying again…"))
	}
	v.gone = err != nil
}

func (v *view) take(e client.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e.Type {
	case errand.EventMessage:
		if (v.replays || !v.s.isOwn(e.Message)) && e.Cause == "" && e.Text != "" {
			v.show(acp.UpdateUserMessageText(e.Text))
		}
	case errand.EventDelta:
		if e.Task == "" {
			v.write(e.Text, v.streamed.Len() == 0)
			v.streamed.WriteString(e.Text)
		}
	case errand.EventReset:
		if e.Task == "" {
			v.streamed.Reset() // what is shown cannot be taken back: what comes now follows it
		}
	case errand.EventStep:
		v.step(e)
	case errand.EventTask:
		v.task(e)
	case errand.EventReply, errand.EventQuestion:
		if !standsAlone(e) {
			v.reply(e)
		}
	case errand.EventLate:
		v.late(e)
	case errand.EventNotice:
		v.end(e)
		v.write(e.Body(), true)
	case errand.EventError:
		v.end(e)
		v.write("errand: "+e.Body()+offered(e.Options), true)
	case errand.EventFile:
		if e.File != nil {
			v.show(acp.UpdateAgentMessage(acp.ResourceLinkBlock(e.File.Name, v.s.agent.worker.Base+api.GetFileVersionPath(e.File.ID))))
		}
	}
}

// step shows what an agent is at: its tools have cards, and its tasks theirs.
func (v *view) step(e client.Event) {
	switch {
	case e.Task != "":
		v.card(e.Task, e.Agent, "", errand.Working)
		v.show(acp.UpdateToolCall(acp.ToolCallId(e.Task), acp.WithUpdateContent(content(e.Who()+": "+e.Text))))
		return
	case e.PlanChanged:
		v.plan()
		return
	}
	v.streamed.Reset() // what comes now is another call's
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

// endCalls closes the cards of tools: their agent goes on.
func (v *view) endCalls() {
	for tool, id := range v.calls {
		delete(v.calls, tool)
		v.show(acp.UpdateToolCall(id, acp.WithUpdateStatus(acp.ToolCallStatusCompleted)))
	}
}

func (v *view) end(e client.Event) {
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

func (v *view) reply(e client.Event) {
	text := strings.TrimSpace(e.Text) + offered(e.Options)
	if !v.rest(text) {
		v.write(text, true)
	}
	v.endCalls()
	if e.Agent != "" {
		v.changeMode(acp.SessionModeId(e.Agent))
	}
}

// late shows a result that comes after its turn.
func (v *view) late(e client.Event) {
	what := "a late result"
	switch {
	case e.Cause != "" && e.Cause != errand.CutOff && e.Cause != errand.Withheld:
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

// setMode notes the agent that the editor has chosen.
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
		status := map[errand.PlanState]acp.PlanEntryStatus{
			errand.PlanPending: acp.PlanEntryStatusPending, errand.PlanDoing: acp.PlanEntryStatusInProgress, errand.PlanDone: acp.PlanEntryStatusCompleted,
		}[item.State]
		entries = append(entries, acp.PlanEntry{Content: item.Text, Priority: acp.PlanEntryPriorityMedium, Status: cmp.Or(status, acp.PlanEntryStatusPending)})
	}
	v.show(acp.UpdatePlan(entries...))
}

func (v *view) task(e client.Event) {
	before, known := v.tasks[e.Task]
	if known && before.Terminal() { // it is final
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

func (v *view) card(id errand.TaskID, agent errand.AgentName, title string, state errand.TaskState) {
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

func statusOf(s errand.TaskState) acp.ToolCallStatus {
	switch s {
	case errand.Submitted, errand.InputRequired:
		return acp.ToolCallStatusPending
	case errand.Completed:
		return acp.ToolCallStatusCompleted
	case errand.Failed, errand.Canceled, errand.Rejected:
		return acp.ToolCallStatusFailed
	}
	return acp.ToolCallStatusInProgress
}

func (v *view) result(id errand.TaskID) {
	t, err := v.s.task(id)
	if err != nil {
		v.s.agent.log.Debug("task not read", "task", id, "error", err)
		return
	}
	if text := strings.TrimSpace(cmp.Or(t.Result, t.Error, string(t.State))); text != "" {
		v.show(acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateContent(content(text))))
	}
}

// mostResults is how many results are shown of the tasks of a chat that is loaded: the
// latest. The others are in the chat, as its agent has told them.
const mostResults = 20

// settle ends a replay.
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

// settleCard closes a card.
func (v *view) settleCard(id acp.ToolCallId, status acp.ToolCallStatus) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.show(acp.UpdateToolCall(id, acp.WithUpdateStatus(status)))
}
