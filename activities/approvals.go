package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/texts"
	"errand/internal/tools"
)

var errUndecided = errors.New("nobody has decided about this call")

var errUnasked = fmt.Errorf("no approval is named for this call: %w", store.ErrNotFound)

// An approver writes requests for approval, and decides whether a call that needs one may run.
type approver struct {
	*worker
	*authority
	rules tools.Approvals
	pace  store.QuestionPace
}

func (a *approver) newApproval(ctx context.Context, b *store.StepInput, tool tools.Tool, arguments string, rule core.ApprovalRule) (ask store.NewApproval, err error) {
	t := a.phrases(b.Language)
	ask = store.NewApproval{Rule: rule, Approval: core.Approval{
		Tool: tool.Name, Arguments: arguments, Hash: core.ArgumentsHash(tool.Name, arguments),
		ForSession: rule == core.ApproveFirst && b.Session != "" && !b.SessionKey.Shared() && tool.MayAllowForSession(), Cut: texts.CutsApproval(arguments),
	}}
	if ask.Cut {
		ask.Seal = core.NewSeal()
	}
	ask.ID, ask.Pace = core.NewQuestionID(), a.pace
	ask.Options = t.ApprovalOptions(ask.Approval)
	ask.Away = t.Localize("approval.away", "question", string(ask.ID), "agent", b.Agent.Display(), "tool", tool.Name)
	names := []string{"agent", b.Agent.Display(), "tool", tool.Name}
	if a.rights.May(b.Role, rights.Capability, rights.ApprovalsAnswer) {
		ask.Text = t.Localize("approval.text", names...)
	} else {
		who, err := a.approvers(ctx, t)
		if err != nil {
			return ask, err
		}
		ask.Text = t.Localize("approval.text_other", append(names, "who", who)...)
		if ask.Deciders, err = a.deciders(ctx, b, core.Question{ID: ask.ID, Agent: b.Agent, Approval: &ask.Approval}); err != nil {
			return ask, err
		}
	}
	about := ""
	if b.Task != nil {
		about = t.Localize("question.about", "task", string(b.Task.ID), "title", b.Task.Title)
	}
	ask.Shown = t.Approval(core.Question{ID: ask.ID, Text: ask.Text, Approval: &ask.Approval}, about)
	return ask, nil
}

func (a *approver) approvers(ctx context.Context, t texts.Texts) (string, error) {
	names, err := a.store.NamesOf(ctx, a.rights.Least(rights.Capability, rights.ApprovalsAnswer))
	if err != nil {
		return "", err
	}
	return t.Approvers(names), nil
}

func (a *approver) deciders(ctx context.Context, b *store.StepInput, q core.Question) ([]store.Decider, error) {
	people, err := a.store.People(ctx, store.Page{})
	if err != nil {
		return nil, err
	}
	asker := string(b.Person)
	if i := slices.IndexFunc(people, func(p core.Person) bool { return p.ID == b.Person && p.Name != "" }); i >= 0 {
		asker = people[i].Name
	}
	var list []store.Decider
	for _, p := range people {
		if p.ID == b.Person || !a.rights.May(p.Role, rights.Capability, rights.ApprovalsAnswer) {
			continue
		}
		t := a.phrases(p.Language)
		about := ""
		if b.Task != nil {
			about = t.Localize("question.about", "task", string(b.Task.ID), "title", b.Task.Title)
		}
		d := store.Decider{Person: p.ID, Text: t.ApprovalFor(q, asker, about), Options: t.ApprovalOptions(*q.Approval), Lapsed: t.ApprovalLapsed(q)}
		if d.Route, d.Key, err = a.ownChat(ctx, p.ID); err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

const manyChats = 20

// ownChat returns a chat only if an identity of the person still belongs to it. A phone number that
// was removed from the person may belong to another person now.
func (a *approver) ownChat(ctx context.Context, person core.PersonID) (core.Route, core.SessionKey, error) {
	chats, err := a.store.PrivateChats(ctx, person, manyChats)
	if err != nil {
		return core.Route{}, "", err
	}
	identities, err := a.store.Identities(ctx, person)
	if err != nil {
		return core.Route{}, "", err
	}
	for _, c := range chats {
		if c.Route.Channel == core.ChannelWeb {
			break
		}
		theirs := slices.ContainsFunc(identities, func(id core.Identity) bool {
			return id.Channel == c.Route.Channel && (id.Account == "" || id.Account == c.Route.Account) && core.DirectRoute(c.Route.At(), id.ExternalID).Chat == c.Route.Chat
		})
		if theirs && a.accounts.Has(c.Route.At()) {
			return c.Route, c.Key, nil
		}
	}
	page := core.WebRoute("main")
	return page, core.NewSessionKey(page, person), nil
}

// approved looks for the approval that lets a call run. At the time of the run it checks again that
// the arguments are the approved ones and that the approver may still approve. If the call may not
// run, why is the text that the model receives instead of a result. approved sets the call's
// arguments to those that people approved. A call that was started before keeps the file contents
// of its approval, because the call itself may have changed the files.
func (a *approver) approved(ctx context.Context, in wire.ToolInput, tool tools.Tool, call *store.Call) (why string, err error) {
	if tool.Name == "" {
		tool.Name = call.Call.Name // the tool was removed, and its approval is used up
	}
	rule := a.rules.Rule(tool)
	if !rule.Asks() && in.Question == "" {
		return "", nil
	}
	arguments, err := tool.BoundArguments(ctx, call.Place(), call.Call.Arguments)
	var wrong tools.CallError
	if err != nil && !errors.As(err, &wrong) {
		return "", err
	}
	want := core.Approval{Tool: tool.Name, Arguments: arguments, Hash: core.ArgumentsHash(tool.Name, arguments)}
	own, granted, err := a.store.BeginApproved(ctx, in.Key, want)
	if err != nil {
		return "", err
	}
	switch {
	case own.ID != "" && own.State == core.QuestionOpen:
		return "", errUndecided
	case own.ID != "" && own.State != core.QuestionAnswered:
		drawn := core.NewNonce()
		return prompt.Reseal(call.Nonce, own.Report(drawn), drawn), nil
	case own.ID != "":
		granted = []core.Question{own}
		if call.Again && tool.IsBinding(own.Approval.Arguments, call.Call.Arguments) {
			wrong, want.Arguments = "", own.Approval.Arguments
			want.Hash = core.ArgumentsHash(tool.Name, want.Arguments)
		}
	case rule != core.ApproveFirst:
		granted = nil
	}
	if wrong != "" {
		return "error: " + string(wrong), nil
	}
	why = prompt.NotApproved(tool.Name)
	if tool.Bind != nil && own.ID != "" {
		why = prompt.ApprovedFilesChanged(tool.Name, own.ID)
	}
	for _, q := range granted {
		good := q.Approval.Tool == tool.Name && (q.Approval.Hash == want.Hash || own.ID == "" && q.Answer == core.ApprovedSession)
		decides, err := a.decides(ctx, q.AnsweredBy)
		switch {
		case err != nil:
			return "", err
		case good && decides:
			call.Call.Arguments = want.Arguments
			return "", nil
		case good:
			why = prompt.ApproverGone(tool.Name, q.ID)
		}
	}
	return why, nil
}

func (a *approver) decides(ctx context.Context, id core.PersonID) (bool, error) {
	person, err := a.store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && a.rights.May(person.Role, rights.Capability, rights.ApprovalsAnswer), err
}
