package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/tools"
)

const mostApprovals = 8

// errUndecided is that nobody has decided about a call: it is neither run nor answered.
var errUndecided = errors.New("nobody has decided about this call")

var errUnasked = fmt.Errorf("no approval is named for this call: %w", store.ErrNotFound)

// askApproval plans the call of a tool that an activity runs: at once, or, by the rule of
// the tool, when somebody who decides about it has said yes to exactly these arguments.
func (a *Activities) askApproval(ctx context.Context, b *store.StepInput, tool tools.Tool, call errand.ToolCall, index int, c *store.CommitStep) (store.By, error) {
	rule := a.Approvals.Rule(tool)
	if !rule.Asks() {
		return store.ByActivity, nil
	}
	switch {
	case b.Person == "":
		return "", fmt.Errorf("%s waits for a person's yes, and nobody is there who could be asked", tool.Name)
	case len(c.Approvals) >= mostApprovals:
		return "", fmt.Errorf("at most %d calls of one step wait for a yes; this one was not run", mostApprovals)
	}
	place := string(b.SessionKey)
	if b.Task != nil {
		place = store.TaskPlace(*b.Task)
	}
	arguments, err := tool.BoundArguments(ctx, place, call.Arguments)
	if err != nil {
		return "", err
	}
	ask, err := a.newApproval(ctx, b, tool, arguments, rule)
	if err != nil {
		return "", err
	}
	if c.Approvals == nil {
		c.Approvals = map[int]store.NewApproval{}
	}
	c.Approvals[index] = ask
	return store.ByApproval, nil
}

func (a *Activities) newApproval(ctx context.Context, b *store.StepInput, tool tools.Tool, arguments string, rule errand.ApprovalRule) (ask store.NewApproval, err error) {
	t := a.Texts.For(b.Language, a.Language)
	ask = store.NewApproval{Rule: rule, Approval: errand.Approval{
		Tool: tool.Name, Arguments: arguments, Hash: errand.ArgumentsHash(tool.Name, arguments),
		ForSession: rule == errand.ApproveFirst && b.Session != "" && !b.SessionKey.Shared() && tool.MayAllowForSession(), Cut: texts.CutsApproval(arguments),
	}}
	if ask.Cut {
		ask.Seal = errand.NewSeal()
	}
	ask.ID, ask.Pace = errand.NewQuestionID(), a.QuestionPace
	ask.Options = t.ApprovalOptions(ask.Approval)
	ask.Away = t.Localize("approval.away", "question", string(ask.ID), "agent", b.Agent.Display(), "tool", tool.Name)
	names := []string{"agent", b.Agent.Display(), "tool", tool.Name}
	if a.Rights.May(b.Role, rights.Capability, rights.ApprovalsAnswer) {
		ask.Text = t.Localize("approval.text", names...)
	} else {
		who, err := a.approvers(ctx, t)
		if err != nil {
			return ask, err
		}
		ask.Text = t.Localize("approval.text_other", append(names, "who", who)...)
		if ask.Deciders, err = a.deciders(ctx, b, errand.Question{ID: ask.ID, Agent: b.Agent, Approval: &ask.Approval}); err != nil {
			return ask, err
		}
	}
	about := ""
	if b.Task != nil {
		about = t.Localize("question.about", "task", string(b.Task.ID), "title", b.Task.Title)
	}
	ask.Shown = t.Approval(errand.Question{ID: ask.ID, Text: ask.Text, Approval: &ask.Approval}, about)
	return ask, nil
}

// approvers names those who decide about calls that wait for a yes.
func (a *Activities) approvers(ctx context.Context, t texts.Texts) (string, error) {
	names, err := a.Store.NamesOf(ctx, a.Rights.Least(rights.Capability, rights.ApprovalsAnswer))
	if err != nil {
		return "", err
	}
	return t.Approvers(names), nil
}

// deciders are those who decide about an approval that whoever asked for the work does not
// answer, with what each of them reads in a chat of their own.
func (a *Activities) deciders(ctx context.Context, b *store.StepInput, q errand.Question) ([]store.Decider, error) {
	people, err := a.Store.People(ctx)
	if err != nil {
		return nil, err
	}
	asker := string(b.Person)
	if i := slices.IndexFunc(people, func(p store.Person) bool { return p.ID == b.Person && p.Name != "" }); i >= 0 {
		asker = people[i].Name
	}
	var list []store.Decider
	for _, p := range people {
		if p.ID == b.Person || !a.Rights.May(p.Role, rights.Capability, rights.ApprovalsAnswer) {
			continue
		}
		t := a.Texts.For(p.Language, a.Language)
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

// ownChat is where a person is written to of what concerns them alone: in the chat with
// errand that they have used last, and on the page where that was no platform's, or there is none.
// A chat counts while an identity of theirs leads to it: a number that was taken from them is somebody else's.
func (a *Activities) ownChat(ctx context.Context, person errand.PersonID) (errand.Route, errand.SessionKey, error) {
	chats, err := a.Store.PrivateChats(ctx, person, manyChats)
	if err != nil {
		return errand.Route{}, "", err
	}
	identities, err := a.Store.Identities(ctx, person)
	if err != nil {
		return errand.Route{}, "", err
	}
	for _, c := range chats {
		if c.Route.Channel == errand.ChannelWeb {
			break
		}
		theirs := slices.ContainsFunc(identities, func(id store.Identity) bool {
			return id.Channel == c.Route.Channel && (id.Account == "" || id.Account == c.Route.Account) && errand.DirectRoute(c.Route.At(), id.ExternalID).Chat == c.Route.Chat
		})
		if theirs && a.Accounts.Has(c.Route.At()) {
			return c.Route, c.Key, nil
		}
	}
	page := errand.WebRoute("main")
	return page, errand.NewSessionKey(page, person), nil
}

// approved finds the approval that lets a call run, and looks once more, at the run,
// whether the arguments are those that were agreed to and whoever agreed still decides
// about it. Else why says what the model is told in place of a result. The tool is given
// the arguments as people have read them. A call that was begun before goes on with the
// content of its approval: the call itself may have changed the files.
func (a *Activities) approved(ctx context.Context, in ToolInput, tool tools.Tool, call *store.Call) (why string, err error) {
	if tool.Name == "" {
		tool.Name = call.Call.Name // it is no longer there, and its approval is used up
	}
	rule := a.Approvals.Rule(tool)
	if !rule.Asks() && in.Question == "" {
		return "", nil
	}
	arguments, err := tool.BoundArguments(ctx, call.Place(), call.Call.Arguments)
	var wrong tools.CallError
	if err != nil && !errors.As(err, &wrong) {
		return "", err
	}
	want := errand.Approval{Tool: tool.Name, Arguments: arguments, Hash: errand.ArgumentsHash(tool.Name, arguments)}
	own, granted, err := a.Store.BeginApproved(ctx, in.Key, want)
	if err != nil {
		return "", err
	}
	switch {
	case own.ID != "" && own.State == errand.QuestionOpen:
		return "", errUndecided
	case own.ID != "" && own.State != errand.QuestionAnswered:
		drawn := errand.NewNonce()
		return call.Nonce.Reseal(own.Report(drawn), drawn), nil
	case own.ID != "":
		granted = []errand.Question{own}
		if call.Again && tool.IsBinding(own.Approval.Arguments, call.Call.Arguments) {
			wrong, want.Arguments = "", own.Approval.Arguments
			want.Hash = errand.ArgumentsHash(tool.Name, want.Arguments)
		}
	case rule != errand.ApproveFirst:
		granted = nil
	}
	if wrong != "" {
		return "error: " + string(wrong), nil
	}
	why = fmt.Sprintf("error: %s runs only when somebody has approved it, and was not run. Call it again to ask them.", tool.Name)
	if tool.Bind != nil && own.ID != "" {
		why = fmt.Sprintf("error: %s was not run: the files that it would use have changed since they were approved (%s). Call it again to ask about the files as they are now.", tool.Name, own.ID)
	}
	for _, q := range granted {
		good := q.Approval.Tool == tool.Name && (q.Approval.Hash == want.Hash || own.ID == "" && q.Answer == errand.ApprovedSession)
		decides, err := a.decides(ctx, q.AnsweredBy)
		switch {
		case err != nil:
			return "", err
		case good && decides:
			call.Call.Arguments = want.Arguments
			return "", nil
		case good:
			why = fmt.Sprintf("error: whoever approved this (%s) does not decide about it any more, and %s was not run. Call it again to ask somebody who does.", q.ID, tool.Name)
		}
	}
	return why, nil
}

// decides reports whether a person may, as of now, decide about calls that wait for a yes.
func (a *Activities) decides(ctx context.Context, id errand.PersonID) (bool, error) {
	person, err := a.Store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && a.Rights.May(person.Role, rights.Capability, rights.ApprovalsAnswer), err
}
