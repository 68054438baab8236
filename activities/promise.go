package activities

import (
	"context"
	"slices"
	"strings"

	"errand"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/tools"
)

const keep = "KEEP"

// heldWindow is how many messages of a transcript are read for a reply that was held back:
// it is followed by the note, and by what was said meanwhile.
const heldWindow = 10

func promiseNote(b *store.StepInput) string {
	return b.Nonce.Mark("your reply has not been told yet: it reads as if something were going on in the background, and nothing is. No task was started, and nobody " +
		"will come back to this. Either start it now, with the tool for it, or write the whole reply again and say what is so. What you write now replaces it. " +
		"If it promises nothing, as in a letter that you were asked to write, answer with the one word " + keep + ", and it is told as it is")
}

// mendPromise holds back the reply of a turn that promises work in the background where
// none was begun and none is open: its agent has one more step, and is told so. What it
// then writes is told, and if that promises the same, with a line of errand's below. It is
// done once in a turn, and never where there is no step left.
func (a *Activities) mendPromise(b *store.StepInput, last bool, c *store.CommitStep) {
	if a.TrustPromises || decides(b) || len(c.Calls) > 0 || c.Ask != nil || c.Propose != "" {
		return
	}
	held, mended := heldBack(b)
	if mended && isKept(c.Text) {
		c.Text = held
		return
	}
	if a.hasBegun(b) {
		return
	}
	sentence := texts.Promised(c.Text, a.delegatesOf(b))
	switch {
	case sentence == "":
	case mended:
		c.Text = a.withTruth(b, c.Text)
	case !last:
		c.AskAgain = promiseNote(b)
		a.Logger.Info("a reply promises what nobody has begun", "session", b.Session, "agent", b.Agent, "owner", b.Key.Owner, "turn", b.Key.Turn)
	}
}

func (a *Activities) delegatesOf(b *store.StepInput) []string {
	var names []string
	for _, d := range a.Roster.Delegates(b.Agent) {
		names = append(names, d.Name.Display())
	}
	for _, r := range b.Registered {
		names = append(names, r.Name.Display())
	}
	return names
}

// hasBegun reports whether work goes on for whoever speaks, or was begun in this turn.
func (a *Activities) hasBegun(b *store.StepInput) bool {
	if len(b.OpenTasks) > 0 {
		return true
	}
	return slices.ContainsFunc(b.Transcript, func(m errand.Message) bool {
		return m.Turn == b.Key.Turn && m.Speaker == errand.FromAgent && slices.ContainsFunc(m.Calls, func(call errand.ToolCall) bool {
			tool, known := a.Tools.Tool(call.Name)
			return known && (tool.By == store.ByDelegation || call.Name == tools.RemindMe)
		})
	})
}

func heldBack(b *store.StepInput) (reply string, ok bool) {
	i := slices.IndexFunc(b.Transcript, func(m errand.Message) bool {
		return m.Turn == b.Key.Turn && m.Speaker == errand.FromPerson && m.Text == promiseNote(b)
	})
	if i < 0 {
		return "", false
	}
	for _, m := range slices.Backward(b.Transcript[:i]) {
		if m.Turn == b.Key.Turn && m.Speaker == errand.FromAgent && len(m.Calls) == 0 {
			return m.Text, true
		}
	}
	return "", false
}

// isKept reports whether an agent stands by the reply that was held back.
func isKept(text string) bool {
	text = strings.Trim(strings.TrimSpace(text), "*`.!\"'")
	return text == "" || strings.EqualFold(text, keep)
}

func (a *Activities) withTruth(b *store.StepInput, text string) string {
	return strings.TrimSpace(text) + "\n\n" + a.text(b.Language, "promise.nothing_begun")
}

// commitHeld ends a turn with the reply that was held back in it, where the step that was to
// mend it has failed: no reply is lost by that. false: none was held back.
func (a *Activities) commitHeld(ctx context.Context, b *store.StepInput, usage []errand.Usage) (out store.StepResult, ok bool, err error) {
	held, ok := heldBack(b)
	if !ok {
		return out, false, nil
	}
	out, err = a.commitStep(ctx, store.CommitStep{Step: b, Text: a.withTruth(b, held), Usage: usage,
		StickFor: a.rosterAt(b.Route).StickFor(b.Agent, a.StickyFor)})
	return out, true, failed(err)
}
