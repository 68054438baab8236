package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand/internal/core"
	"errand/internal/events"
)

// SavePlan replaces the plan of the calling agent; no items delete it. A sub-agent's plan
// belongs to its task, any other plan to the session. A second call changes nothing. It fails
// with ErrClosed after the turn or a task above it has ended.
func (s *Store) SavePlan(ctx context.Context, c Call, items []core.PlanItem) error {
	key := c.Key
	return s.writeOwner(ctx, key.Owner, func(t *tx) error {
		if err := t.mayAnswer(key.StepKey); err != nil {
			return err
		}
		plan := core.Plan{Agent: c.Agent, Turn: key.Turn, Items: items}
		task, err := ownTask(t, key.Owner)
		if err != nil {
			return err
		}
		if task == nil {
			return t.saveSessionPlan(c, plan)
		}
		plan.Turn = 0
		others := slices.DeleteFunc(task.Plans, func(p core.Plan) bool { return p.Agent == c.Agent })
		if _, err := t.Exec(`UPDATE tasks SET plan = ? WHERE id = ?`, plansText(append(others, plan)), task.ID); err != nil {
			return err
		}
		t.changed(task.Origin.Person, events.Tasks)
		// The event is not logged, because the state of the task has not changed.
		t.events = append(t.events, core.Event{Type: core.EventTask, Key: task.Origin.SessionKey, Session: task.Origin.Session,
			Agent: c.Agent, Task: task.ID, State: task.State, Text: task.Title, Created: at(t.now)})
		return nil
	})
}

// saveSessionPlan logs no event, because only the current plan matters.
func (t *tx) saveSessionPlan(c Call, plan core.Plan) error {
	if _, err := t.Exec(`UPDATE sessions SET plan = ? WHERE id = ?`, plansText([]core.Plan{plan}), c.Key.Owner); err != nil {
		return err
	}
	t.events = append(t.events, core.Event{Type: core.EventStep, Key: c.Origin.SessionKey, Session: c.Session, Turn: plan.Turn,
		Agent: plan.Agent, Text: plan.Line(), PlanChanged: true, Created: at(t.now)})
	return nil
}

func plansText(plans []core.Plan) string {
	plans = slices.DeleteFunc(plans, func(p core.Plan) bool { return len(p.Items) == 0 })
	if len(plans) == 0 {
		return ""
	}
	b, err := json.Marshal(plans)
	if err != nil {
		return "" // cannot fail: strings
	}
	return string(b)
}

func plansOf(text string) (plans []core.Plan, err error) {
	if text != "" {
		if err = json.Unmarshal([]byte(text), &plans); err != nil {
			err = fmt.Errorf("plans %q: %w", text, err)
		}
	}
	return plans, err
}

// readPlan ignores a session's plan that was complete before this turn.
func (b *stepBegin) readPlan() error {
	if b.out.Task != nil {
		for _, p := range b.out.Task.Plans {
			if p.Agent == b.out.Agent {
				b.out.Plan = p
			}
		}
		return nil
	}
	plan, err := b.session.plan()
	if err == nil && plan != nil && plan.ShownIn(b.key.Turn) {
		b.out.Plan = *plan
	}
	return err
}

func (r sessionRow) plan() (*core.Plan, error) {
	plans, err := plansOf(r.Plan)
	switch {
	case err != nil:
		return nil, fmt.Errorf("plan of session %s: %w", r.ID, err)
	case len(plans) == 0:
		return nil, nil
	}
	return &plans[0], nil
}
