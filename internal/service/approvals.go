package service

import (
	"context"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// mayApprove returns an error unless the actor is a person with the role that may decide. Tokens,
// programs and agents cannot approve.
func (qs *Questions) mayApprove(ctx context.Context, by actor.Actor, q core.Question, isProgram bool, as core.AgentName) error {
	switch {
	case by.Tool() != "" || as != "":
		return Forbidden("refusal.approval_agent", "question", q.ID)
	case !qs.roleDecides(by.Role):
		return Forbidden("refusal.approval_role", "question", q.ID, "who", qs.approvers(ctx, qs.Texts.For(by.Language, qs.Language)))
	case !by.IsPerson() || isProgram:
		return Forbidden("refusal.approval_token", "question", q.ID)
	}
	return nil
}

func (e *Env) roleDecides(role core.Role) bool {
	return e.Rights.May(role, rights.Capability, rights.ApprovalsAnswer)
}

// seesApprovals reports whether the actor may decide approvals. A token also needs the scope to
// read other people's things.
func (qs *Questions) seesApprovals(by actor.Actor) bool {
	return qs.roleDecides(by.Role) && by.Scope().Covers(rights.OthersRead)
}

func (qs *Questions) approvers(ctx context.Context, t texts.Texts) string {
	names, err := qs.Store.NamesOf(ctx, qs.Rights.Least(rights.Capability, rights.ApprovalsAnswer))
	if err != nil {
		qs.Logger.Warn("cannot read who may approve", "error", err)
	}
	return t.Approvers(names)
}

func (qs *Questions) findApproval(ctx context.Context, by actor.Actor, prefix string) (core.Question, error) {
	if !qs.seesApprovals(by) {
		return core.Question{}, store.ErrNotFound
	}
	return qs.Store.FindQuestion(ctx, prefix, store.QuestionFilter{Kind: core.AsksApproval})
}

// decideApproval ends an approval. If a chat showed the call cut, a yes must contain the seal shown
// at its end, or come from a place that shows all of it.
func (qs *Questions) decideApproval(ctx context.Context, by actor.Actor, q core.Question, in api.AnswerQuestionInput, as core.AgentName) (core.Question, error) {
	if err := qs.mayApprove(ctx, by, q, in.Program, as); err != nil {
		return q, err
	}
	if q.State != core.QuestionOpen {
		return q, qs.overQuestion(ctx, by, q)
	}
	end, err := qs.decision(q, in.Body, qs.Texts.For(by.Language, qs.Language).ApprovalOptions(*q.Approval))
	if err != nil {
		return q, err
	}
	end.By, end.In = by.Person, in.Route.Channel
	if in.Route != q.Route {
		end.Notice = qs.decidedText(ctx, q, end, q.Person)
	}
	deciders, err := qs.Store.Deciders(ctx, q.ID)
	if err != nil {
		return q, err
	}
	end.Notices = map[core.PersonID]string{}
	for _, d := range deciders {
		if d.Person != by.Person || d.Route.Channel != in.Route.Channel {
			end.Notices[d.Person] = qs.decidedText(ctx, q, end, d.Person)
		}
	}
	if q, err = qs.commit(ctx, by, end); err != nil {
		return q, err
	}
	qs.wakeDeciders(ctx, deciders)
	qs.Logger.Info("approval decided", "question", q.ID, "tool", q.Approval.Tool, "state", q.State, "answer", approvedHow(q), "person", by.Person, "channel", in.Route.Channel,
		"task", q.Task, "session", q.Session, "hash", q.Approval.Hash)
	return q, nil
}

// approvedHow keeps people's own words, such as reasons, out of the log.
func approvedHow(q core.Question) string {
	if q.State == core.QuestionAnswered {
		return q.Answer
	}
	return ""
}

// decision reads the answer to an approval. options are in the decider's language, which may differ
// from the asker's.
func (qs *Questions) decision(q core.Question, in api.QuestionAnswer, options []string) (store.CloseQuestion, error) {
	end := store.CloseQuestion{ID: q.ID, State: core.QuestionDeclined}
	text, err := "", error(nil)
	if strings.TrimSpace(in.Text) != "" || !in.Decline {
		if text, err = CleanText(in.Text, qs.maxText); err != nil {
			return end, err
		}
	}
	if in.Decline {
		end.Answer = text
		return end, nil
	}
	choice, named := text, !q.Approval.Cut || in.Hash == q.Approval.Hash
	if i := strings.LastIndex(text, " "); i >= 0 && q.Approval.Seal != "" && strings.EqualFold(text[i+1:], q.Approval.Seal) {
		choice, named = text[:i], true
	}
	choice = strings.TrimSpace(choice)
	option, declining := -1, []string{}
	for _, list := range [][]string{q.Options, options} {
		if option < 0 {
			option = texts.Chosen(list, choice)
		}
		if len(list) > 1 {
			declining = append(declining, list[1])
		}
	}
	yes, _ := texts.Consent(choice)
	reason, no := texts.Declining(text, declining...)
	switch {
	case option == 1 || option < 0 && no:
		if option < 0 {
			end.Answer = reason
		}
		return end, nil
	case option == 2 || option < 0 && q.Approval.ForSession && strings.EqualFold(choice, core.ApprovedSession):
		end.Answer = core.ApprovedSession
	case option == 0 || yes:
		end.Answer = core.ApprovedOnce
	default:
		return end, Invalid("answer", "misfit.approval", "question", q.ID, "want", numbered(q.Options))
	}
	if !named {
		return end, Forbidden("refusal.approval_unread", "question", q.ID)
	}
	end.State = core.QuestionAnswered
	return end, nil
}

func (qs *Questions) wakeDeciders(ctx context.Context, deciders []store.Decider) {
	for _, d := range deciders {
		if d.Route.Channel != core.ChannelWeb {
			wakeOutbox(ctx, qs.dispatch, qs.Logger, d.Route)
		}
	}
}

func (qs *Questions) decidedText(ctx context.Context, q core.Question, end store.CloseQuestion, reader core.PersonID) string {
	key := "approval.approved_by"
	if end.State == core.QuestionDeclined {
		key = "approval.declined_by"
	}
	return qs.Texts.For(qs.languageOf(ctx, reader), qs.Language).Localize(key,
		"question", string(q.ID), "by", qs.personName(ctx, end.By), "agent", q.Agent.Display(), "tool", q.Approval.Tool)
}
