package acpagent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/coder/acp-go-sdk"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
)

// standsAlone reports whether a question is put beside the conversation, and not by the
// reply of a turn, which a message answers.
func standsAlone(e client.Event) bool {
	return e.Type == errand.EventQuestion && e.Question != "" && (e.Task != "" || e.Turn == 0)
}

func (s *session) askOpen() {
	open, err := s.open()
	if err != nil {
		s.agent.log.Error("questions not read", "chat", s.id, "error", err)
		return
	}
	for _, q := range open {
		if q.Task != "" || q.Kind == errand.AsksApproval { // others wait for a message
			s.ask(q.ID)
		}
	}
}

func (s *session) open() ([]api.Question, error) {
	ctx, cancel := context.WithTimeout(s.ctx, client.CallTimeout)
	defer cancel()
	list, err := s.agent.worker.API().ListQuestions(ctx, &api.ListQuestionsParams{Chat: string(s.id)})
	return list.Value, err
}

func (s *session) ask(id errand.QuestionID) {
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

// withdraw takes back what the editor asks and nobody needs any more: it was answered
// elsewhere, or whoever asked has ended. An approval that another person's agent asks for is
// none of the chat's questions, so each is read by its id.
func (s *session) withdraw() {
	s.mu.Lock()
	asked := maps.Clone(s.asked)
	s.mu.Unlock()
	for id, cancel := range asked {
		q, err := s.question(s.ctx, id)
		switch gone := client.IsNotFound(err); {
		case err != nil && !gone: // the next event asks again
		case gone, q.State != errand.QuestionOpen:
			cancel()
		}
	}
}

func elsewhere(id errand.QuestionID) string {
	return fmt.Sprintf("It can be answered on the page, in a chat with `/answer %s …`, or by `errand questions answer %s …`.", id, id)
}

// shown reads a question, with who may answer it.
func (s *session) question(ctx context.Context, id errand.QuestionID) (api.ShownQuestion, error) {
	ctx, cancel := context.WithTimeout(ctx, client.CallTimeout)
	defer cancel()
	q, err := s.agent.worker.API().GetQuestion(ctx, string(id))
	return q.Value, err
}

// askIn asks for an approval by the editor's permissions where whoever runs it may give it
// and has said that the editor asks them about each: many answer by their own settings, and
// then no person has approved. All else is asked in words.
func (s *session) askIn(ctx context.Context, id errand.QuestionID) error {
	q, err := s.question(ctx, id)
	switch {
	case err != nil:
		return err
	case q.State != errand.QuestionOpen:
		return nil
	case !q.MayAnswer:
		s.waitsFor(&q, "Not from here, by the key or token that errand was started with.")
		return nil
	case q.Kind != errand.AsksApproval:
		s.view.say(fmt.Sprintf("**%s asks:** %s%s\n\nAnswer with `/answer %s …`, or `/decline %s`.", q.Agent.Display(), q.Text, offered(q.Options), id, id))
		return nil
	case !s.agent.opts.Approve:
		s.waitsFor(&q, "Not by the editor's permissions: `errand acp` was started without `--approve`.")
		return nil
	}
	got, err := s.agent.conn.RequestPermission(ctx, acp.RequestPermissionRequest{SessionId: s.id, Options: optionsOf(&q), ToolCall: callOf(&q)})
	switch {
	case ctx.Err() != nil: // it is over, or the editor has closed the chat
		return nil
	case err != nil:
		return fmt.Errorf("the editor does not ask (%w)", err)
	case got.Outcome.Selected == nil:
		if q, err = s.question(ctx, id); err == nil && q.State == errand.QuestionOpen {
			s.view.say(fmt.Sprintf("%s still waits for an answer. %s", id, elsewhere(id)))
		}
		return nil
	}
	return s.answer(ctx, &q, got.Outcome.Selected.OptionId)
}

// waitsFor says what waits for an answer, why the editor does not ask for it, and who may give
// it, and where.
func (s *session) waitsFor(q *api.ShownQuestion, why string) {
	s.view.say(fmt.Sprintf("**%s waits for an answer:** %s\n\n%s %s may answer. %s",
		q.Agent.Display(), q.Text, why, cmp.Or(strings.Join(q.Deciders, ", "), "Nobody"), elsewhere(q.ID)))
}

// optionsOf are what the editor offers of an approval. The second is no.
func optionsOf(q *api.ShownQuestion) []acp.PermissionOption {
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

// callOf is the card under which the editor asks. It has all that is approved, byte for byte.
func callOf(q *api.ShownQuestion) acp.ToolCallUpdate {
	call := acp.ToolCallUpdate{ToolCallId: acp.ToolCallId(q.ID), Title: acp.Ptr(errand.Cut(q.Agent.Display()+": "+q.Text, 200)),
		Kind: acp.Ptr(acp.ToolKindOther), Status: acp.Ptr(acp.ToolCallStatusPending), Content: content(q.Text)}
	if a := q.Approval; a != (errand.Approval{}) {
		call.Title, call.Kind = acp.Ptr(q.Agent.Display()+": "+a.Tool), acp.Ptr(kindOf(a.Tool))
		call.Content = content(q.Text + "\n\n```json\n" + a.Arguments + "\n```")
		call.RawInput = json.RawMessage(a.Arguments)
	}
	return call
}

// answer tells the worker what was chosen. A yes is good for the arguments that the editor
// has shown.
func (s *session) answer(ctx context.Context, q *api.ShownQuestion, chosen acp.PermissionOptionId) error {
	body := api.AnswerQuestionBody{Text: new(string(chosen))}
	if q.Approval != (errand.Approval{}) {
		body.Hash = &q.Approval.Hash
	}
	_, err := s.agent.worker.API().AnswerQuestion(context.WithoutCancel(ctx), string(q.ID), body)
	status := acp.ToolCallStatusCompleted
	if err != nil {
		status = acp.ToolCallStatusFailed
	}
	s.view.settleCard(acp.ToolCallId(q.ID), status)
	return err
}
