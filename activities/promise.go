package activities

import (
	"context"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/tools"
)

// heldWindow is how many messages GiveUp reads. They include a held reply, the note after it, and
// messages in between.
const heldWindow = 10

// mendPromise holds back a reply that promises work in the background if the turn has started none
// and no task is open. The agent gets one more step and a note about it. Its next reply is
// delivered; if that repeats the promise, errand adds a line that nothing was started. This happens
// once in a turn, and not in the last step.
func (l *planner) mendPromise(b *store.StepInput, last bool, c *store.CommitStep) {
	if l.trustPromises || decides(b) || len(c.Calls) > 0 || c.Ask != nil || c.Propose != "" {
		return
	}
	held, mended := heldBack(b)
	if mended && prompt.IsKept(c.Text) {
		c.Text = held
		return
	}
	if l.hasBegun(b) {
		return
	}
	sentence := texts.Promised(c.Text, l.delegatesOf(b))
	switch {
	case sentence == "":
	case mended:
		c.Text = l.withTruth(b, c.Text)
	case !last:
		c.AskAgain = prompt.PromiseNote(b.Nonce)
		l.logger.Info("reply promises work that was not started", "session", b.Session, "agent", b.Agent, "owner", b.Key.Owner, "turn", b.Key.Turn)
	}
}

func (l *planner) delegatesOf(b *store.StepInput) []string {
	var names []string
	for _, d := range l.roster.Delegates(b.Agent) {
		names = append(names, d.Name.Display())
	}
	for _, r := range b.Registered {
		names = append(names, r.Name.Display())
	}
	return names
}

func (l *planner) hasBegun(b *store.StepInput) bool {
	if len(b.OpenTasks) > 0 {
		return true
	}
	return slices.ContainsFunc(b.Transcript, func(m core.Message) bool {
		return m.Turn == b.Key.Turn && m.Speaker == core.FromAgent && slices.ContainsFunc(m.Calls, func(call core.ToolCall) bool {
			tool, known := l.tools.Tool(call.Name)
			return known && (tool.By == store.ByDelegation || call.Name == tools.RemindMe)
		})
	})
}

func heldBack(b *store.StepInput) (reply string, ok bool) {
	i := slices.IndexFunc(b.Transcript, func(m core.Message) bool {
		return m.Turn == b.Key.Turn && m.Speaker == core.FromPerson && m.Text == prompt.PromiseNote(b.Nonce)
	})
	if i < 0 {
		return "", false
	}
	for _, m := range slices.Backward(b.Transcript[:i]) {
		if m.Turn == b.Key.Turn && m.Speaker == core.FromAgent && len(m.Calls) == 0 {
			return m.Text, true
		}
	}
	return "", false
}

func (l *planner) withTruth(b *store.StepInput, text string) string {
	return strings.TrimSpace(text) + "\n\n" + l.text(b.Language, "promise.nothing_begun")
}

// commitHeld ends a turn with the reply that was held back, because the step that should have
// corrected it failed. ok is false if no reply was held back.
func (t *Thinker) commitHeld(ctx context.Context, b *store.StepInput, usage []core.Usage) (out store.StepResult, ok bool, err error) {
	held, ok := heldBack(b)
	if !ok {
		return out, false, nil
	}
	out, err = t.commitStep(ctx, store.CommitStep{Step: b, Text: t.planner.withTruth(b, held), Usage: usage,
		StickFor: t.rosterAt(b.Route).StickFor(b.Agent, t.stickyFor)})
	return out, true, failed(err)
}
