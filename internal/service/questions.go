package service

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"errand"
	"errand/internal/probe"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// Questions lists what waits for an answer, the oldest first: the actor's own, or, for
// those who may look at them, what person is asked; "*" is everybody. With all, also
// what is over.
func (s *Service) Questions(ctx context.Context, by Actor, person errand.PersonID, all bool, limit int) ([]errand.Question, error) {
	if err := s.may(by, rights.QuestionsRead); err != nil {
		return nil, err
	}
	return s.ListQuestions(ctx, by, QuestionFilter{Person: person, All: all, Page: Page{Limit: limit}})
}

// A QuestionFilter narrows a list of questions.
type QuestionFilter struct {
	Person errand.PersonID   // whom they ask: the actor by default; "*" is everybody
	Key    errand.SessionKey // asked in the chat of this conversation, whoever of its people is asked; without Person
	All    bool              // what is over too
	Page
}

// ListQuestions lists questions, the oldest first. The first page are the newest.
func (s *Service) ListQuestions(ctx context.Context, by Actor, f QuestionFilter) ([]errand.Question, error) {
	if err := s.may(by, rights.QuestionsRead); err != nil {
		return nil, err
	}
	stored := store.QuestionFilter{Key: f.Key, Open: !f.All, After: f.After, Limit: f.Limit}
	if f.Key != "" {
		if err := s.reads(by, f.Key); err != nil {
			return nil, err
		}
		return paged(s.Store.Questions(ctx, stored))
	}
	var err error
	if stored.Person, err = s.whose(by, f.Person); err != nil {
		return nil, err
	}
	stored.Approvals = stored.Person == by.Person && s.seesApprovals(by)
	return paged(s.Store.Questions(ctx, stored))
}

// QuestionsIn lists what waits for an answer in the chat of a conversation, whoever of
// its people is asked. With all, also what is over.
func (s *Service) QuestionsIn(ctx context.Context, by Actor, key errand.SessionKey, all bool, limit int) ([]errand.Question, error) {
	if err := s.may(by, rights.QuestionsRead); err != nil {
		return nil, err
	}
	if err := s.reads(by, key); err != nil {
		return nil, err
	}
	return s.ListQuestions(ctx, by, QuestionFilter{Key: key, All: all, Page: Page{Limit: limit}})
}

// TaskQuestions lists what a task of the actor's own, and those that it delegated on, wait for
// an answer to, the oldest first.
func (s *Service) TaskQuestions(ctx context.Context, by Actor, id errand.TaskID) ([]errand.Question, error) {
	if err := s.may(by, rights.QuestionsRead); err != nil {
		return nil, err
	}
	if _, err := s.FindTask(ctx, by, string(id), ""); err != nil {
		return nil, err
	}
	tree, err := s.Store.TaskTree(ctx, id)
	if err != nil {
		return nil, err
	}
	ids := make([]errand.TaskID, len(tree))
	for i, t := range tree {
		ids[i] = t.ID
	}
	return s.Store.Questions(ctx, store.QuestionFilter{Tasks: ids, Open: true})
}

// An Answer is what somebody says to a question.
type Answer struct {
	Text    string
	Decline bool         // they do not want to answer; Text is nothing then
	Route   errand.Route // where they say it
	Hash    string       // of an approval: that of the arguments, where all of them are shown; empty elsewhere
	Program bool         // an agent of somebody else's says it for them: it approves nothing
}

// AnswerQuestion answers the question whose id begins so, from wherever the person that
// it asks is: the first answer counts, and the next is told which that was. What somebody
// else is asked only those answer who may change what belongs to others.
func (s *Service) AnswerQuestion(ctx context.Context, by Actor, prefix string, in Answer) (errand.Question, error) {
	if err := s.may(by, rights.QuestionsAnswer); err != nil {
		return errand.Question{}, err
	}
	ctx = doing(ctx, by)
	q, err := s.findQuestion(ctx, by, prefix)
	if err != nil {
		return q, err
	}
	return s.answer(ctx, by, q, in, "")
}

// AnswerShown is AnswerQuestion of a question that the actor has been shown, by a reply to
// it or a button under it.
func (s *Service) AnswerShown(ctx context.Context, by Actor, id errand.QuestionID, in Answer) (errand.Question, error) {
	if err := s.may(by, rights.QuestionsAnswer); err != nil {
		return errand.Question{}, err
	}
	ctx = doing(ctx, by)
	q, err := s.Store.Question(ctx, id)
	switch {
	case err != nil:
		return q, Known(err)
	case q.Kind != errand.AsksApproval && q.Person != by.Person && s.changesOthers(by) != nil:
		return q, s.anothersQuestion(ctx, q)
	}
	return s.answer(ctx, by, q, in, "")
}

// Question returns the question whose id begins so, of those that wait for the actor or
// that they may look at.
func (s *Service) Question(ctx context.Context, by Actor, prefix string) (errand.Question, error) {
	if err := s.may(by, rights.QuestionsRead); err != nil {
		return errand.Question{}, err
	}
	return s.findQuestion(ctx, by, prefix)
}

// findQuestion finds a question among the actor's own; for those who may change what
// belongs to others, and in a conversation that is theirs too, among all of it.
func (s *Service) findQuestion(ctx context.Context, by Actor, prefix string) (errand.Question, error) {
	q, err := s.Store.FindQuestion(ctx, prefix, store.QuestionFilter{Person: by.Person})
	if !errors.Is(err, store.ErrNotFound) {
		return q, Known(err)
	}
	if approval, fault := s.findApproval(ctx, by, prefix); fault == nil {
		return approval, nil
	}
	if s.changesOthers(by) == nil {
		q, err = s.Store.FindQuestion(ctx, prefix, store.QuestionFilter{})
	} else if by.Here != "" {
		if theirs, fault := s.Store.FindQuestion(ctx, prefix, store.QuestionFilter{Key: by.Here}); fault == nil {
			return theirs, s.anothersQuestion(ctx, theirs)
		}
	}
	return q, Known(err)
}

func (s *Service) anothersQuestion(ctx context.Context, q errand.Question) error {
	return Forbidden("refusal.anothers_question", "question", q.ID, "person", s.personName(ctx, q.Person))
}

func (s *Service) personName(ctx context.Context, id errand.PersonID) string {
	if p, err := s.Store.Person(ctx, id); err == nil && p.Name != "" {
		return p.Name
	}
	return string(id)
}

// answer ends a question with what somebody says. as is the agent that says it for them;
// empty: they do themselves.
func (s *Service) answer(ctx context.Context, by Actor, q errand.Question, in Answer, as errand.AgentName) (errand.Question, error) {
	if q.Kind == errand.AsksApproval {
		return s.decideApproval(ctx, by, q, in, as)
	}
	if in.Program && q.Person != by.Person {
		return q, s.anothersQuestion(ctx, q)
	}
	if q.State != errand.QuestionOpen {
		return q, s.overQuestion(ctx, by, q)
	}
	end := store.CloseQuestion{ID: q.ID, State: errand.QuestionDeclined, By: by.Person, As: as, In: in.Route.Channel, Role: by.Role}
	t := s.Texts.For(by.Language, s.Language)
	if in.Decline {
		end.Message = t.Localize("question.declining")
	} else {
		text, err := CleanText(in.Text, s.MessageBytes)
		if err != nil {
			return q, err
		}
		if text, err = q.Fits(inWordsOf(q, text)); err != nil {
			return q, misfit(err, q)
		}
		end.State, end.Answer, end.Message = errand.QuestionAnswered, text, text
	}
	if _, declined := texts.Consent(end.Answer); q.Kind == errand.Proposes && (in.Decline || declined) {
		// The agent that proposed it reads a plain no, in the words that it offered.
		end.State, end.Answer, end.Message = errand.QuestionDeclined, "", q.Options[len(q.Options)-1]
	}
	if q.Person != by.Person {
		// It is a message of the person whose session it is.
		of, err := s.ActorAs(ctx, q.Person, "")
		if err != nil {
			return q, err
		}
		end.Role = errand.Lesser(of.Role, by.Role)
	}
	if in.Route != q.Route || as != "" {
		end.Notice = s.closedText(ctx, q, end)
	}
	q, err := s.closeQuestion(ctx, by, end)
	if err == nil {
		s.Logger.Info("question answered", "question", q.ID, "state", q.State, "task", q.Task, "channel", in.Route.Channel)
	}
	return q, err
}

// closeQuestion ends a question, if nobody has before, and tells whoever asked it.
func (s *Service) closeQuestion(ctx context.Context, by Actor, end store.CloseQuestion) (errand.Question, error) {
	s.Points.At(probe.BeforeAnswer)
	q, first, row, err := s.Store.CloseQuestion(ctx, end)
	if err != nil {
		return q, Known(err)
	}
	s.Points.At(probe.AfterAnswer)
	if !first {
		return q, s.overQuestion(ctx, by, q)
	}
	s.signalAsker(ctx, q, row)
	if end.Notice != "" {
		s.WakeOutbox(ctx, q.Route)
	}
	return q, nil
}

// inWordsOf is a text that agrees to a proposal, or declines it, in the words that it
// offers for that: yes first, no last.
func inWordsOf(q errand.Question, text string) string {
	yes, no := texts.Consent(text)
	switch {
	case q.Kind != errand.Proposes || len(q.Options) == 0:
		return text
	case yes:
		return q.Options[0]
	case no:
		return q.Options[len(q.Options)-1]
	}
	return text
}

// signalAsker wakes whoever asked a question that is over. What is lost here the watchdog
// makes up for.
func (s *Service) signalAsker(ctx context.Context, q errand.Question, row int64) {
	var err error
	switch {
	case !q.InReply():
		err = s.Dispatch.QuestionAnswered(ctx, q.ID, q.Call.Owner, q.Key, q.Refused())
	case row > 0:
		err = s.Dispatch.WakeSession(ctx, q.Key, row)
	}
	if err != nil {
		s.Logger.Warn("answer not signalled; the watchdog will", "question", q.ID, "error", err)
	}
}

// closedText is what the chat of a question is shown of an end that it has not seen, in
// the language of the person who was asked.
func (s *Service) closedText(ctx context.Context, q errand.Question, end store.CloseQuestion) string {
	t := s.Texts.For(s.languageOf(ctx, q.Person), s.Language)
	args := []string{"question", string(q.ID), "agent", q.Agent.Display(), "answer", errand.Cut(end.Answer, 500), "by", s.personName(ctx, end.By), "as", end.As.Display()}
	switch {
	case end.State == errand.QuestionDeclined:
		return t.Localize("question.declined_elsewhere", args...)
	case end.As != "":
		return t.Localize("question.answered_for_you", args...)
	case end.By != q.Person:
		return t.Localize("question.answered_by", args...)
	}
	return t.Localize("question.answered_elsewhere", args...)
}

func (s *Service) languageOf(ctx context.Context, id errand.PersonID) string {
	p, err := s.Store.Person(ctx, id)
	if err != nil {
		return ""
	}
	return p.Language
}

func (s *Service) overQuestion(ctx context.Context, by Actor, q errand.Question) error {
	args := []any{"question", q.ID, "answer", errand.Cut(q.Answer, 200), "by", s.personName(ctx, q.AnsweredBy), "agent", q.Agent.Display()}
	switch {
	case q.State == errand.QuestionAnswered && q.Kind == errand.AsksApproval:
		return conflict("answered", "refusal.approved", args...)
	case q.State == errand.QuestionAnswered && q.AnsweredBy == by.Person:
		return conflict("answered", "refusal.you_answered", args...)
	case q.State == errand.QuestionAnswered:
		return conflict("answered", "refusal.answered", args...)
	case q.State == errand.QuestionDeclined:
		return conflict("declined", "refusal.declined", args...)
	case q.State == errand.QuestionExpired:
		return conflict("expired", "refusal.expired", args...)
	}
	return conflict("withdrawn", "refusal.withdrawn", args...)
}

func misfit(err error, q errand.Question) error {
	var no *errand.AnswerError
	if !errors.As(err, &no) {
		return err
	}
	want := no.Want
	if no.Code == errand.MisfitOptions && len(q.Options) > 0 {
		want = numbered(q.Options)
	}
	name := strconv.Quote(no.Name)
	if no.Name == "" {
		name = string(q.ID)
	}
	return Invalid("answer", misfits[no.Code], "question", name, "want", want)
}

// numbered are options as people may name them: "1. Monday, 2. Tuesday".
func numbered(options []string) string {
	list := make([]string, len(options))
	for i, o := range options {
		list[i] = strconv.Itoa(i+1) + ". " + o
	}
	return strings.Join(list, ", ")
}

// AnswerQuestionFor answers a question for the person that a tool call is made for, from
// what they have just said: only in a turn that their own message began, and only in the
// chat in which the question is asked.
func (s *Service) AnswerQuestionFor(ctx context.Context, call store.Call, prefix, text string) (errand.Question, error) {
	if err := s.may(callerOf(call, "answer_task"), rights.QuestionsAnswer); err != nil {
		return errand.Question{}, err
	}
	by := callerOf(call, "answer_task")
	ctx = doing(ctx, by)
	q, err := s.Store.FindQuestion(ctx, prefix, store.QuestionFilter{Key: call.Origin.SessionKey})
	if err != nil {
		return q, Known(err)
	}
	cause, err := s.Store.CauseOf(ctx, call.Key.Owner, call.Key.Turn)
	switch {
	case err != nil:
		return q, err
	case call.Task != nil || cause != store.CauseMessage || q.Kind == errand.Proposes:
		return q, Forbidden("refusal.answers_unasked", "question", q.ID)
	case q.Person != call.Person:
		return q, s.anothersQuestion(ctx, q)
	}
	if q.State == errand.QuestionAnswered && q.AnsweredAs == call.Agent {
		if answer, err := q.Fits(text); err == nil && answer == q.Answer {
			return q, nil // a second run of the same call
		}
	}
	return s.answer(ctx, by, q, Answer{Text: text, Route: call.Origin.Route}, call.Agent)
}
