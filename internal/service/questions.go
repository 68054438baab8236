package service

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/answer"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/probe"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/texts"
)

const maxWaiting = 100 // questions that are counted for the header of the pages

// Questions has the operations on questions that agents ask people, and on approvals.
type Questions struct {
	*Env
	dispatch *dispatch.Dispatcher
	tasks    *Tasks
	maxText  int // of an answer, in bytes
	points   probe.Func
}

func (qs *Questions) bind(r *ops.Runner) {
	ops.Bind(r, api.ListQuestions, qs.list)
	ops.Bind(r, api.ListTaskQuestions, qs.listOfTask)
	ops.Bind(r, api.GetQuestion, qs.get)
	ops.Bind(r, api.AnswerQuestion, qs.answer)
	ops.Bind(r, api.AnswerQuestionByTool, qs.answerByTool)
}

func (qs *Questions) list(ctx context.Context, by actor.Actor, in api.ListQuestionsInput) (api.List[api.Question], error) {
	f, err := qs.filter(by, in)
	if err == nil {
		f.After, err = ParseCursor(api.ListQuestions.Name, in.After.After)
	}
	if err != nil {
		return api.List[api.Question]{}, err
	}
	found, err := paged(qs.Store.Questions(ctx, f))
	if err != nil {
		return api.List[api.Question]{}, err
	}
	var out api.List[api.Question]
	out.Items, err = qs.questionViews(ctx, by, found...)
	if in.Limit > 0 && len(found) >= in.Limit {
		out.Next = Cursor(api.ListQuestions.Name, PositionOfQuestion(found[0])) // the first one is the oldest
	}
	return out, err
}

func (qs *Questions) filter(by actor.Actor, in api.ListQuestionsInput) (f store.QuestionFilter, err error) {
	f = store.QuestionFilter{Key: in.Here, Open: !in.All, Limit: in.Limit}
	if in.Chat != "" {
		if f.Key, err = webKey(in.Chat, cmp.Or(in.Person, by.Person)); err != nil {
			return f, err
		}
	}
	if f.Key != "" {
		return f, qs.reads(by, f.Key)
	}
	f.Person, err = qs.whose(by, in.Person)
	f.Approvals = f.Person == by.Person && qs.seesApprovals(by)
	return f, err
}

// questionViews adds who may answer to questions that the actor may read.
func (e *Env) questionViews(ctx context.Context, by actor.Actor, questions ...core.Question) (views []api.Question, err error) {
	views = []api.Question{}
	var approvers []string
	names := map[core.PersonID]string{}
	for _, q := range questions {
		v := api.Question{Question: q, Channel: q.Route.Channel, Chat: q.Route.Chat}
		switch {
		case q.State != core.QuestionOpen:
		case q.Kind != core.AsksApproval:
			if _, known := names[q.Person]; !known {
				names[q.Person] = e.personName(ctx, q.Person)
			}
			v.MayAnswer, v.Deciders = e.mayAnswer(by, q), []string{names[q.Person]}
		default:
			if approvers == nil {
				if approvers, err = e.Store.NamesOf(ctx, e.Rights.Least(rights.Capability, rights.ApprovalsAnswer)); err != nil {
					return nil, err
				}
			}
			v.MayAnswer, v.Deciders = e.mayAnswer(by, q), approvers
		}
		views = append(views, v)
	}
	return views, nil
}

func (qs *Questions) listOfTask(ctx context.Context, by actor.Actor, in api.ListTaskQuestionsInput) ([]core.Question, error) {
	if err := qs.may(by, rights.QuestionsRead); err != nil {
		return nil, err
	}
	if _, err := qs.tasks.own(ctx, by, in.ID); err != nil {
		return nil, err
	}
	return qs.openOf(ctx, in.ID)
}

// openOf returns the open questions of a task and of the tasks below it. The caller has checked the
// rights.
func (qs *Questions) openOf(ctx context.Context, id core.TaskID) ([]core.Question, error) {
	tree, err := qs.Store.TaskTree(ctx, id)
	if err != nil {
		return nil, err
	}
	ids := make([]core.TaskID, len(tree))
	for i, t := range tree {
		ids[i] = t.ID
	}
	return qs.Store.Questions(ctx, store.QuestionFilter{Tasks: ids, Open: true})
}

func (qs *Questions) get(ctx context.Context, by actor.Actor, in api.QuestionID) (api.Question, error) {
	q, err := qs.find(ctx, by, in.ID)
	return qs.view(ctx, by, q, err)
}

func (qs *Questions) view(ctx context.Context, by actor.Actor, q core.Question, err error) (api.Question, error) {
	if err != nil {
		return api.Question{}, err
	}
	views, err := qs.questionViews(ctx, by, q)
	if err != nil {
		return api.Question{}, err
	}
	return views[0], nil
}

// waiting returns the number of open questions that the actor may answer, at most maxWaiting.
func (qs *Questions) waiting(ctx context.Context, by actor.Actor) (int, error) {
	found, err := qs.Store.Questions(ctx, store.QuestionFilter{Person: by.Person, Approvals: qs.seesApprovals(by), Open: true, Limit: maxWaiting})
	n := 0
	for _, q := range found {
		if qs.mayAnswer(by, q) {
			n++
		}
	}
	return n, err
}

// mayAnswer reports whether the actor may answer a question at all; some answers need more rights.
func (e *Env) mayAnswer(by actor.Actor, q core.Question) bool {
	switch {
	case e.may(by, rights.QuestionsAnswer) != nil:
		return false
	case q.Kind == core.AsksApproval:
		return e.may(by, rights.ApprovalsAnswer) == nil && by.IsPerson()
	}
	return q.Person == by.Person || e.changesOthers(by) == nil
}

func (qs *Questions) answer(ctx context.Context, by actor.Actor, in api.AnswerQuestionInput) (api.Question, error) {
	find := qs.find
	if in.Shown {
		find = qs.shown
	}
	q, err := find(ctx, by, in.ID)
	if err == nil {
		in.Route.Channel = cmp.Or(in.Route.Channel, core.ChannelWeb)
		q, err = qs.close(ctx, by, q, in, "")
	}
	return qs.view(ctx, by, q, err)
}

// shown finds a question that a chat showed to the actor, by its full id.
func (qs *Questions) shown(ctx context.Context, by actor.Actor, id string) (core.Question, error) {
	q, err := qs.Store.Question(ctx, core.QuestionID(id))
	if err == nil && q.Kind != core.AsksApproval && q.Person != by.Person && qs.changesOthers(by) != nil {
		return q, qs.anothersQuestion(ctx, q)
	}
	return q, Known(err)
}

// find searches the actor's own questions and, if they may change other people's things, all
// questions. It refuses another person's question in the actor's current conversation.
func (qs *Questions) find(ctx context.Context, by actor.Actor, prefix string) (core.Question, error) {
	q, err := qs.Store.FindQuestion(ctx, prefix, store.QuestionFilter{Person: by.Person})
	if !errors.Is(err, store.ErrNotFound) {
		return q, Known(err)
	}
	if approval, fault := qs.findApproval(ctx, by, prefix); fault == nil {
		return approval, nil
	}
	if qs.changesOthers(by) == nil {
		q, err = qs.Store.FindQuestion(ctx, prefix, store.QuestionFilter{})
	} else if by.Here != "" {
		if theirs, fault := qs.Store.FindQuestion(ctx, prefix, store.QuestionFilter{Key: by.Here}); fault == nil {
			return theirs, qs.anothersQuestion(ctx, theirs)
		}
	}
	return q, Known(err)
}

func (qs *Questions) anothersQuestion(ctx context.Context, q core.Question) error {
	return Forbidden("refusal.anothers_question", "question", q.ID, "person", qs.personName(ctx, q.Person))
}

func (e *Env) personName(ctx context.Context, id core.PersonID) string {
	if p, err := e.Store.Person(ctx, id); err == nil && p.Name != "" {
		return p.Name
	}
	return string(id)
}

// close ends a question; only the first answer counts. as is the agent that answers for the actor;
// empty: the actor answers.
func (qs *Questions) close(ctx context.Context, by actor.Actor, q core.Question, in api.AnswerQuestionInput, as core.AgentName) (core.Question, error) {
	if q.Kind == core.AsksApproval {
		return qs.decideApproval(ctx, by, q, in, as)
	}
	if in.Program && q.Person != by.Person {
		return q, qs.anothersQuestion(ctx, q)
	}
	if q.State != core.QuestionOpen {
		return q, qs.overQuestion(ctx, by, q)
	}
	end := store.CloseQuestion{ID: q.ID, State: core.QuestionDeclined, By: by.Person, As: as, In: in.Route.Channel, Role: by.Role}
	t := qs.Texts.For(by.Language, qs.Language)
	if in.Body.Decline {
		end.Message = t.Localize("question.declining")
	} else {
		text, err := CleanText(in.Body.Text, qs.maxText)
		if err != nil {
			return q, err
		}
		if text, err = answer.Fits(&q, inWordsOf(q, text)); err != nil {
			return q, misfit(err, q)
		}
		end.State, end.Answer, end.Message = core.QuestionAnswered, text, text
	}
	if _, declined := texts.Consent(end.Answer); q.Kind == core.Proposes && (in.Body.Decline || declined) {
		// The proposing agent reads a plain no, in the words of its own option.
		end.State, end.Answer, end.Message = core.QuestionDeclined, "", q.Options[len(q.Options)-1]
	}
	if q.Person != by.Person {
		// The answer is a message in that person's session, so it has no more rights than they
		// have.
		of, err := qs.ActorAs(ctx, q.Person, "")
		if err != nil {
			return q, err
		}
		end.Role = core.Lesser(of.Role, by.Role)
	}
	if in.Route != q.Route || as != "" {
		end.Notice = qs.closedText(ctx, q, end)
	}
	q, err := qs.commit(ctx, by, end)
	if err == nil {
		qs.Logger.Info("question answered", "question", q.ID, "state", q.State, "task", q.Task, "channel", in.Route.Channel)
	}
	return q, err
}

func (qs *Questions) commit(ctx context.Context, by actor.Actor, end store.CloseQuestion) (core.Question, error) {
	qs.points.At(probe.BeforeAnswer)
	q, first, row, err := qs.Store.CloseQuestion(ctx, end)
	if err != nil {
		return q, Known(err)
	}
	qs.points.At(probe.AfterAnswer)
	if !first {
		return q, qs.overQuestion(ctx, by, q)
	}
	qs.signalAsker(ctx, q, row)
	if end.Notice != "" {
		wakeOutbox(ctx, qs.dispatch, qs.Logger, q.Route)
	}
	return q, nil
}

// inWordsOf turns a yes or no into the first or last option of a proposal.
func inWordsOf(q core.Question, text string) string {
	yes, no := texts.Consent(text)
	switch {
	case q.Kind != core.Proposes || len(q.Options) == 0:
		return text
	case yes:
		return q.Options[0]
	case no:
		return q.Options[len(q.Options)-1]
	}
	return text
}

// signalAsker wakes the asker of a closed question. The watchdog repeats lost signals.
func (qs *Questions) signalAsker(ctx context.Context, q core.Question, row int64) {
	var err error
	switch {
	case !q.InReply():
		err = qs.dispatch.QuestionAnswered(ctx, q.ID, q.Call.Owner, q.Key, q.Refused())
	case row > 0:
		err = qs.dispatch.WakeSession(ctx, q.Key, row)
	}
	if err != nil {
		qs.Logger.Warn("answer not signaled; the watchdog will signal it", "question", q.ID, "error", err)
	}
}

func (qs *Questions) closedText(ctx context.Context, q core.Question, end store.CloseQuestion) string {
	t := qs.Texts.For(qs.languageOf(ctx, q.Person), qs.Language)
	args := []string{"question", string(q.ID), "agent", q.Agent.Display(), "answer", core.Cut(end.Answer, 500), "by", qs.personName(ctx, end.By), "as", end.As.Display()}
	switch {
	case end.State == core.QuestionDeclined:
		return t.Localize("question.declined_elsewhere", args...)
	case end.As != "":
		return t.Localize("question.answered_for_you", args...)
	case end.By != q.Person:
		return t.Localize("question.answered_by", args...)
	}
	return t.Localize("question.answered_elsewhere", args...)
}

func (qs *Questions) languageOf(ctx context.Context, id core.PersonID) string {
	p, err := qs.Store.Person(ctx, id)
	if err != nil {
		return ""
	}
	return p.Language
}

func (qs *Questions) overQuestion(ctx context.Context, by actor.Actor, q core.Question) error {
	args := []any{"question", q.ID, "answer", core.Cut(q.Answer, 200), "by", qs.personName(ctx, q.AnsweredBy), "agent", q.Agent.Display()}
	switch {
	case q.State == core.QuestionAnswered && q.Kind == core.AsksApproval:
		return conflict("answered", "refusal.approved", args...)
	case q.State == core.QuestionAnswered && q.AnsweredBy == by.Person:
		return conflict("answered", "refusal.you_answered", args...)
	case q.State == core.QuestionAnswered:
		return conflict("answered", "refusal.answered", args...)
	case q.State == core.QuestionDeclined:
		return conflict("declined", "refusal.declined", args...)
	case q.State == core.QuestionExpired:
		return conflict("expired", "refusal.expired", args...)
	}
	return conflict("withdrawn", "refusal.withdrawn", args...)
}

func misfit(err error, q core.Question) error {
	var no *core.AnswerError
	if !errors.As(err, &no) {
		return err
	}
	want := no.Want
	if no.Code == core.MisfitOptions && len(q.Options) > 0 {
		want = numbered(q.Options)
	}
	name := strconv.Quote(no.Name)
	if no.Name == "" {
		name = string(q.ID)
	}
	return Invalid("answer", misfits[no.Code], "question", name, "want", want)
}

func numbered(options []string) string {
	list := make([]string, len(options))
	for i, o := range options {
		list[i] = strconv.Itoa(i+1) + ". " + o
	}
	return strings.Join(list, ", ")
}

func (qs *Questions) answerByTool(ctx context.Context, by actor.Actor, in api.AnswerQuestionByToolInput) (core.Question, error) {
	q, err := qs.Store.FindQuestion(ctx, in.ID, store.QuestionFilter{Key: by.Here})
	if err != nil {
		return q, Known(err)
	}
	cause, err := qs.Store.CauseOf(ctx, in.Key.Owner, in.Key.Turn)
	switch {
	case err != nil:
		return q, err
	case in.Task || cause != store.CauseMessage || q.Kind == core.Proposes:
		return q, Forbidden("refusal.answers_unasked", "question", q.ID)
	case q.Person != by.Person:
		return q, qs.anothersQuestion(ctx, q)
	}
	if q.State == core.QuestionAnswered && q.AnsweredAs == by.Agent() {
		if fits, err := answer.Fits(&q, in.Text); err == nil && fits == q.Answer {
			return q, nil // a second run of the same call
		}
	}
	return qs.close(ctx, by, q, api.AnswerQuestionInput{Route: in.Route, Body: api.QuestionAnswer{Text: in.Text}}, by.Agent())
}
