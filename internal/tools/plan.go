package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"errand"
	"errand/internal/content"
	"errand/internal/store"
)

// Bounds of a plan. It is in the prompt of each step.
const (
	maxPlanItems = 30
	maxPlanItem  = 200 // characters
)

// A PlanStore keeps what agents mean to do; [*store.Store] does.
type PlanStore interface {
	SavePlan(context.Context, store.Call, []errand.PlanItem) error
}

// Plan is the tool with which an agent keeps a list of what it means to do. People see
// it while the agent works.
func Plan(s PlanStore) Tool {
	return Tool{
		Name: "plan",
		Description: "Keep a list of what you mean to do, for work that takes several steps. The person sees it while you work, and you are shown it before each step. " +
			"Every call replaces the whole list: give all items, in order, each with its state now. Call it when you begin, and again whenever an item is begun or done. Not for what takes one or two steps.",
		Parameters: json.RawMessage(fmt.Sprintf(`{"type": "object", "properties": {
			"items": {"type": "array", "maxItems": %d, "description": "the whole list; empty to drop the plan", "items": {"type": "object", "properties": {
				"text": {"type": "string", "maxLength": %d, "description": "one thing to do, in a few words of the person's language"},
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
			plan := errand.Plan{Items: items}
			if len(items) == 0 {
				return "There is no plan any more.", nil
			}
			Progress(ctx)(plan.Line())
			return fmt.Sprintf("The plan is kept: %d of %d done.", plan.Done(), len(items)), nil
		},
	}
}

// planItems reads the list. What is wrong with it is for the model to read.
func planItems(args json.RawMessage) ([]errand.PlanItem, error) {
	in, err := Parse[struct {
		Items *[]errand.PlanItem `json:"items"`
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
			i.State = errand.PlanPending
		}
		switch size := utf8.RuneCountInString(i.Text); {
		case i.Text == "":
			return nil, fmt.Errorf("item %d has no text", n+1)
		case size > maxPlanItem:
			return nil, fmt.Errorf("item %d has %d characters; at most %d", n+1, size, maxPlanItem)
		case !slices.Contains(errand.PlanStates(), i.State):
			return nil, fmt.Errorf("item %d has the state %q: use pending, doing or done", n+1, errand.Cut(string(i.State), 40))
		}
	}
	return items, nil
}
