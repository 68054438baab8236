package service

import (
	"context"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// mayApprove fails for those who do not decide whether a call runs that waits for a yes: a
// token and an agent never do, whoever they act for.
func (s *Service) mayApprove(ctx context.Context, by Actor, q errand.Question, in Answer, as errand.AgentName) error {
	switch {
	case by.tool != "" || as != "":
		return Forbidden("refusal.approval_agent", "question", q.ID)
	case !s.roleDecides(by.Role):
		return Forbidden("refusal.approval_role", "question", q.ID, "who", s.approvers(ctx, s.Texts.For(by.Language, s.Language)))
	case !by.IsPerson() || in.Program:
		return Forbidden("refusal.approval_token", "question", q.ID)
	}
	return nil
}

// MayDecide fails for an actor that no call which waits for a yes is for: only a person with
// the role says it, and nothing that acts for one.
func (s *Service) MayDecide(by Actor) error {
	if err := s.may(by, rights.ApprovalsAnswer); err != nil {
		return err
	}
	if !by.IsPerson() {
		return Forbidden("refusal.approvals_token")
	}
	return nil
}

// MayAnswer fails for an actor whose answer to a question would be refused, whatever it is.
func (s *Service) MayAnswer(by Actor, q errand.Question) error {
	if err := s.may(by, rights.QuestionsAnswer); err != nil {
		return err
	}
	switch {
	case q.Kind == errand.AsksApproval:
		return s.MayDecide(by)
	case q.Person != by.Person:
		return s.changesOthers(by)
	}
	return nil
}

func (s *Service) roleDecides(role errand.Role) bool {
	return s.Rights.May(role, rights.Capability, rights.ApprovalsAnswer)
}

// seesApprovals reports whether somebody sees approvals whoever they are for: those who decide
// do, and of their tokens, which decide nothing, those that are for what belongs to others.
func (s *Service) seesApprovals(by Actor) bool {
	return s.roleDecides(by.Role) && by.scope.Covers(rights.OthersRead)
}

// Deciders names those who may answer a question: the person it asks, or, of an approval,
// those who decide.
func (s *Service) Deciders(ctx context.Context, by Actor, q errand.Question) ([]string, error) {
	if err := s.may(by, rights.QuestionsRead); err != nil {
		return nil, err
	}
	if q.Kind != errand.AsksApproval {
		return []string{s.personName(ctx, q.Person)}, nil
	}
	return s.Store.NamesOf(ctx, s.Rights.Least(rights.Capability, rights.ApprovalsAnswer))
}

// approvers names those who decide about calls that wait for a yes.
func (s *Service) approvers(ctx context.Context, t texts.Texts) string {
	names, err := s.Store.NamesOf(ctx, s.Rights.Least(rights.Capability, rights.ApprovalsAnswer))
	if err != nil {
		s.Logger.Warn("those who may approve are not known", "error", err)
	}
	return t.Approvers(names)
}

func (s *Service) findApproval(ctx context.Context, by Actor, prefix string) (errand.Question, error) {
	if !s.seesApprovals(by) {
		return errand.Question{}, store.ErrNotFound
	}
	return s.Store.FindQuestion(ctx, prefix, store.QuestionFilter{Kind: errand.AsksApproval})
}

// decideApproval ends an approval with a yes or a no. Both are words of a person who
// decides about it and means this one; of what was cut, a yes names the seal that stands at
// its end, or comes from where all of it is shown.
func (s *Service) decideApproval(ctx context.Context, by Actor, q errand.Question, in Answer, as errand.AgentName) (errand.Question, error) {
	if err := s.mayApprove(ctx, by, q, in, as); err != nil {
		return q, err
	}
	if q.State != errand.QuestionOpen {
		return q, s.overQuestion(ctx, by, q)
	}
	end, err := s.decision(q, in, s.Texts.For(by.Language, s.Language).ApprovalOptions(*q.Approval))
	if err != nil {
		return q, err
	}
	end.By, end.In = by.Person, in.Route.Channel
	if in.Route != q.Route {
		end.Notice = s.decidedText(ctx, q, end, q.Person)
	}
	deciders, err := s.Store.Deciders(ctx, q.ID)
	if err != nil {
		return q, err
	}
	end.Notices = map[errand.PersonID]string{}
	for _, d := range deciders {
		if d.Person != by.Person || d.Route.Channel != in.Route.Channel {
			end.Notices[d.Person] = s.decidedText(ctx, q, end, d.Person)
		}
	}
	if q, err = s.closeQuestion(ctx, by, end); err != nil {
		return q, err
	}
	s.wakeDeciders(ctx, deciders)
	s.Logger.Info("approval decided", "question", q.ID, "tool", q.Approval.Tool, "state", q.State, "answer", approvedHow(q), "person", by.Person, "channel", in.Route.Channel,
		"task", q.Task, "session", q.Session, "hash", q.Approval.Hash)
	return q, nil
}

// approvedHow is for the log: a reason is somebody's words.
func approvedHow(q errand.Question) string {
	if q.State == errand.QuestionAnswered {
		return q.Answer
	}
	return ""
}

// decision is what somebody's words mean for an approval. options are its answers in their
// language, which may be another's than that of the person for whom it was asked.
func (s *Service) decision(q errand.Question, in Answer, options []string) (store.CloseQuestion, error) {
	end := store.CloseQuestion{ID: q.ID, State: errand.QuestionDeclined}
	text, err := "", error(nil)
	if strings.TrimSpace(in.Text) != "" || !in.Decline {
		if text, err = CleanText(in.Text, s.MessageBytes); err != nil {
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
	option := -1
	for _, list := range [][]string{q.Options, options} {
		for i, o := range list {
			if option < 0 && strings.EqualFold(o, choice) {
				option = i
			}
		}
	}
	yes, _ := texts.Consent(choice)
	reason, no := texts.Declining(text)
	switch {
	case option == 1 || option < 0 && no:
		if option < 0 {
			end.Answer = reason
		}
		return end, nil
	case option == 2 || option < 0 && q.Approval.ForSession && strings.EqualFold(choice, errand.ApprovedSession):
		end.Answer = errand.ApprovedSession
	case option == 0 || yes:
		end.Answer = errand.ApprovedOnce
	default:
		return end, Invalid("answer", "misfit.approval", "question", q.ID, "want", numbered(q.Options))
	}
	if !named {
		return end, Forbidden("refusal.approval_unread", "question", q.ID)
	}
	end.State = errand.QuestionAnswered
	return end, nil
}

func (s *Service) wakeDeciders(ctx context.Context, deciders []store.Decider) {
	for _, d := range deciders {
		if d.Route.Channel != errand.ChannelWeb {
			s.WakeOutbox(ctx, d.Route)
		}
	}
}

func (s *Service) decidedText(ctx context.Context, q errand.Question, end store.CloseQuestion, reader errand.PersonID) string {
	key := "approval.approved_by"
	if end.State == errand.QuestionDeclined {
		key = "approval.declined_by"
	}
	return s.Texts.For(s.languageOf(ctx, reader), s.Language).Localize(key,
		"question", string(q.ID), "by", s.personName(ctx, end.By), "agent", q.Agent.Display(), "tool", q.Approval.Tool)
}
