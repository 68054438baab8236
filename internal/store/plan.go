package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand"
	"errand/internal/events"
)

// SavePlan makes items the plan of the agent that makes the call, in the place of what
// it had; without any, it has none. The plan of a sub-agent is its task's, any other is
// the session's. A second run changes nothing. It fails with ErrClosed after the turn or
// a task above it has ended.
func (s *Store) SavePlan(ctx context.Context, c Call, items []errand.PlanItem) error {
	key := c.Key
	return s.writeOwner(ctx, key.Owner, func(t *tx) error {
		if err := t.mayAnswer(key.StepKey); err != nil {
			return err
		}
		plan := errand.Plan{Agent: c.Agent, Turn: key.Turn, Items: items}
		task, err := ownTask(t, key.Owner)
		if err != nil {
			return err
		}
		if task == nil {
			return t.saveSessionPlan(c, plan)
		}
		plan.Turn = 0
		others := slices.DeleteFunc(task.Plans, func(p errand.Plan) bool { return p.Agent == c.Agent })
		if _, err := t.Exec(`UPDATE tasks SET plan = ? WHERE id = ?`, plansText(append(others, plan)), task.ID); err != nil {
			return err
		}
		t.changed(task.Origin.Person, events.Tasks)
		// It is in no log: the state has not changed.
		t.events = append(t.events, errand.Event{Type: errand.EventTask, Key: task.Origin.SessionKey, Session: task.Origin.Session,
			Agent: c.Agent, Task: task.ID, State: task.State, Text: task.Title, Created: at(t.now)})
		return nil
	})
}

// saveSessionPlan keeps the plan of a session, and has those look who follow it. It is in
// no log: a plan is as it is now.
func (t *tx) saveSessionPlan(c Call, plan errand.Plan) error {
	if _, err := t.Exec(`UPDATE sessions SET plan = ? WHERE id = ?`, plansText([]errand.Plan{plan}), c.Key.Owner); err != nil {
		return err
	}
	t.events = append(t.events, errand.Event{Type: errand.EventStep, Key: c.Origin.SessionKey, Session: c.Session, Turn: plan.Turn,
		Agent: plan.Agent, Text: plan.Line(), PlanChanged: true, Created: at(t.now)})
	return nil
}

// Plans are kept as JSON, and as nothing where there are none.
func plansText(plans []errand.Plan) string {
	plans = slices.DeleteFunc(plans, func(p errand.Plan) bool { return len(p.Items) == 0 })
	if len(plans) == 0 {
		return ""
	}
	b, err := json.Marshal(plans)
	if err != nil {
		return "" // strings: it cannot fail
	}
	return string(b)
}

func plansOf(text string) (plans []errand.Plan, err error) {
	if text != "" {
		if err = json.Unmarshal([]byte(text), &plans); err != nil {
			err = fmt.Errorf("plans %q: %w", text, err)
		}
	}
	return plans, err
}

// readPlan finds the plan that the step's agent goes by: of a sub-agent its own, and of
// a session the one that was written in it last, unless that was over before this turn.
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

// plan is what was meant to be done last in a session; nil where nothing was written.
func (r sessionRow) plan() (*errand.Plan, error) {
	plans, err := plansOf(r.Plan)
	switch {
	case err != nil:
		return nil, fmt.Errorf("plan of session %s: %w", r.ID, err)
	case len(plans) == 0:
		return nil, nil
	}
	return &plans[0], nil
}
