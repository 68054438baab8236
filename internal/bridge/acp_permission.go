package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/coder/acp-go-sdk"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// standsAlone reports whether a question is separate from a turn's reply. Otherwise the next
// message answers it.
func standsAlone(e console.Event) bool {
	return e.Type == core.EventQuestion && e.Question != "" && (e.Task != "" || e.Turn == 0)
}

func (s *session) askOpen() {
	open, err := s.open()
	if err != nil {
		s.agent.log.Error("questions not read", "chat", s.id, "error", err)
		return
	}
	for _, q := range open {
		if q.Task != "" || q.Kind == core.AsksApproval { // the next message answers the others
			s.ask(q.ID)
		}
	}
}

func (s *session) open() ([]api.Question, error) {
	ctx, cancel := context.WithTimeout(s.ctx, console.CallTimeout)
	defer cancel()
	list, err := api.Call(ctx, s.agent.worker.API(), api.ListQuestions, api.ListQuestionsInput{Chat: string(s.id)})
	return list.Value.Items, err
}

func (s *session) ask(id core.QuestionID) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	_, asked := s.asked[id]
	if !asked {
		s.asked[id] = cancel
	}
	s.mu.Unlock()
	if asked {
		cancel()
		return
	}
	go func() {
		defer func() {
			cancel()
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.asked, id)
		}()
		if err := s.askIn(ctx, id); err != nil && ctx.Err() == nil {
			s.view.say(fmt.Sprintf("%s waits for an answer: %v. %s", id, err, elsewhere(id)))
		}
	}()
}

// withdraw cancels requests that were answered elsewhere or whose agent has ended. It reads each
// question by its id, because another person's approval is not in the chat's list of questions.
func (s *session) withdraw() {
	s.mu.Lock()
	asked := maps.Clone(s.asked)
	s.mu.Unlock()
	for id, cancel := range asked {
		q, err := s.question(s.ctx, id)
		switch gone := console.IsNotFound(err); {
		case err != nil && !gone: // the next event tries again
		case gone, q.State != core.QuestionOpen:
			cancel()
		}
	}
}

func elsewhere(id core.QuestionID) string {
	return fmt.Sprintf("It can be answered on the page, in a chat with `/answer %s …`, or by `errand questions answer %s …`.", id, id)
}

func (s *session) question(ctx context.Context, id core.QuestionID) (api.Question, error) {
	ctx, cancel := context.WithTimeout(ctx, console.CallTimeout)
	defer cancel()
	q, err := api.Call(ctx, s.agent.worker.API(), api.GetQuestion, api.QuestionID{ID: string(id)})
	return q.Value, err
}

// askIn uses the editor's permission request only if the user may approve and has declared with
// --approve that the editor asks about each one. Many editors answer from their settings, and then
// no person has approved.
func (s *session) askIn(ctx context.Context, id core.QuestionID) error {
	q, err := s.question(ctx, id)
	switch {
	case err != nil:
		return err
	case q.State != core.QuestionOpen:
		return nil
	case !q.MayAnswer:
		s.waitsFor(&q, "Not from here, by the key or token that errand was started with.")
		return nil
	case q.Kind != core.AsksApproval:
		s.view.say(fmt.Sprintf("**%s asks:** %s%s\n\nAnswer with `/answer %s …`, or `/decline %s`.", q.Agent.Display(), q.Text, offered(q.Options), id, id))
		return nil
	case !s.agent.opts.Approve:
		s.waitsFor(&q, "Not by the editor's permissions: `errand acp` was started without `--approve`.")
		return nil
	}
	got, err := s.agent.conn.RequestPermission(ctx, acp.RequestPermissionRequest{SessionId: s.id, Options: optionsOf(&q), ToolCall: callOf(&q)})
	switch {
	case ctx.Err() != nil: // the question is closed, or the editor has closed the chat
		return nil
	case err != nil:
		return fmt.Errorf("the editor does not ask (%w)", err)
	case got.Outcome.Selected == nil:
		if q, err = s.question(ctx, id); err == nil && q.State == core.QuestionOpen {
			s.view.say(fmt.Sprintf("%s still waits for an answer. %s", id, elsewhere(id)))
		}
		return nil
	}
	return s.answer(ctx, &q, got.Outcome.Selected.OptionId)
}

func (s *session) waitsFor(q *api.Question, why string) {
	s.view.say(fmt.Sprintf("**%s waits for an answer:** %s\n\n%s %s may answer. %s",
		q.Agent.Display(), q.Text, why, cmp.Or(strings.Join(q.Deciders, ", "), "Nobody"), elsewhere(q.ID)))
}

// The second option of an approval means no.
func optionsOf(q *api.Question) []acp.PermissionOption {
	var list []acp.PermissionOption
	for i, o := range q.Options {
		kind := acp.PermissionOptionKindAllowOnce
		switch i {
		case 1:
			kind = acp.PermissionOptionKindRejectOnce
		case 2:
			kind = acp.PermissionOptionKindAllowAlways
		}
		list = append(list, acp.PermissionOption{OptionId: acp.PermissionOptionId(o), Name: o, Kind: kind})
	}
	return list
}

// callOf shows the approved call byte for byte.
func callOf(q *api.Question) acp.ToolCallUpdate {
	call := acp.ToolCallUpdate{ToolCallId: acp.ToolCallId(q.ID), Title: acp.Ptr(core.Cut(q.Agent.Display()+": "+q.Text, 200)),
		Kind: acp.Ptr(acp.ToolKindOther), Status: acp.Ptr(acp.ToolCallStatusPending), Content: content(q.Text)}
	if a := q.Approval; a != nil {
		call.Title, call.Kind = acp.Ptr(q.Agent.Display()+": "+a.Tool), acp.Ptr(kindOf(a.Tool))
		call.Content = content(q.Text + "\n\n```json\n" + a.Arguments + "\n```")
		call.RawInput = json.RawMessage(a.Arguments)
	}
	return call
}

// answer includes the hash of the arguments that the editor has shown.
func (s *session) answer(ctx context.Context, q *api.Question, chosen acp.PermissionOptionId) error {
	in := api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: string(q.ID)}, Body: api.QuestionAnswer{Text: string(chosen)}}
	if q.Approval != nil {
		in.Body.Hash = q.Approval.Hash
	}
	_, err := api.Call(context.WithoutCancel(ctx), s.agent.worker.API(), api.AnswerQuestion, in)
	status := acp.ToolCallStatusCompleted
	if err != nil {
		status = acp.ToolCallStatusFailed
	}
	s.view.settleCard(acp.ToolCallId(q.ID), status)
	return err
}
