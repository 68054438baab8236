package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
)

// Limits of a plan, which is part of the prompt of each step.
const (
	maxPlanItems = 30
	maxPlanItem  = 200 // characters
)

// A PlanStore keeps the plans of agents. [*store.Store] implements it.
type PlanStore interface {
	SavePlan(context.Context, store.Call, []core.PlanItem) error
}

// PlanName is the name of the tool that keeps the plan.
const PlanName = "plan"

// Plan returns the tool with which an agent keeps a list of its next actions. People see
// the list while the agent works.
func Plan(s PlanStore) Tool {
	return Tool{
		Name: PlanName,
		Description: "Keep a plan for work with three or more steps. The user sees it while you work, and you see it before each step. " +
			"Each call replaces the whole plan: pass all items in order, with their current states. Call it when you begin, and whenever an item is begun or done.",
		Parameters: json.RawMessage(fmt.Sprintf(`{"type": "object", "properties": {
			"items": {"type": "array", "maxItems": %d, "description": "all items; empty removes the plan", "items": {"type": "object", "properties": {
				"text": {"type": "string", "maxLength": %d, "description": "one thing to do, in a few words, in the user's language"},
				"state": {"type": "string", "enum": ["pending", "doing", "done"]}}, "required": ["text", "state"]}}}, "required": ["items"]}`, maxPlanItems, maxPlanItem)),
		Effect: Idempotent, Doing: "doing.plan",
		Run: func(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
			items, err := planItems(args)
			if err != nil {
				return "error: " + err.Error(), nil
			}
			if err := s.SavePlan(ctx, call, items); err != nil {
				return "", err
			}
			plan := core.Plan{Items: items}
			if len(items) == 0 {
				return "There is no plan any more.", nil
			}
			Progress(ctx)(plan.Line())
			return fmt.Sprintf("The plan is kept: %d of %d done.", plan.Done(), len(items)), nil
		},
	}
}

// planItems returns errors that the model can read.
func planItems(args json.RawMessage) ([]core.PlanItem, error) {
	in, err := Parse[struct {
		Items *[]core.PlanItem `json:"items"`
	}](args)
	switch {
	case err != nil:
		return nil, err
	case in.Items == nil:
		return nil, errors.New("items is missing: give the whole list, or [] to drop the plan")
	case len(*in.Items) > maxPlanItems:
		return nil, fmt.Errorf("the plan has %d items; at most %d: put some together", len(*in.Items), maxPlanItems)
	}
	items := slices.Clone(*in.Items)
	for n := range items {
		i := &items[n]
		i.Text = content.Line(i.Text)
		if i.State == "" {
			i.State = core.PlanPending
		}
		switch size := utf8.RuneCountInString(i.Text); {
		case i.Text == "":
			return nil, fmt.Errorf("item %d has no text", n+1)
		case size > maxPlanItem:
			return nil, fmt.Errorf("item %d has %d characters; at most %d", n+1, size, maxPlanItem)
		case !slices.Contains(core.PlanStates(), i.State):
			return nil, fmt.Errorf("item %d has the state %q: use pending, doing or done", n+1, core.Cut(string(i.State), 40))
		}
	}
	return items, nil
}
