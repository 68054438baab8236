package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"errand"
	"errand/internal/llm"
	"errand/internal/store"
)

// ask makes the model call of a step. When the transcript has outgrown the
// window, or the model says so, older messages are summarised first; the
// originals stay in the store.
func (a *Activities) ask(ctx context.Context, b *store.StepInput, last bool) (llm.Response, []errand.Usage, error) {
	var spent []errand.Usage
	if b.Older > 0 {
		usage, err := a.compact(ctx, b, a.Window/2)
		spent = append(spent, usage...)
		if err != nil {
			// The window alone is enough to answer from; the next step tries again.
			cutInBlocks(b)
			a.Logger.Warn("transcript not summarised", "session", b.Session, "agent", b.Agent, "error", err)
		}
	}
	if b.Key.Step > 1 || b.Attempts.Number > 1 {
		a.stream(b).publishDelta(llm.Delta{Reset: true})
	}
	prompt := a.request(b, last)
	prompt.Waits = func(waiting bool) {
		if waiting {
			a.step(b, "doing.waiting")
		} else {
			a.step(b, "doing.thinking")
		}
	}
	prompt.Keep = func(ctx context.Context, p errand.PendingResponse) error {
		b.Pending = p
		return a.Store.KeepPending(ctx, b, p)
	}
	for {
		stream := a.stream(b)
		prompt.Resume = b.Pending
		answer, err := a.Model.Complete(ctx, prompt, stream.publishDelta)
		stream.end()
		spent = append(spent, lost(answer, err)...)
		var e *llm.Error
		if errors.As(err, &e) && e.Kind == llm.ContextOverflow && len(b.Transcript) > 2 {
			before := len(b.Transcript)
			usage, cerr := a.compact(ctx, b, before/2)
			spent = append(spent, usage...)
			if cerr != nil {
				return answer, spent, cerr
			}
			if len(b.Transcript) < before {
				prompt.Messages = messages(b)
				continue
			}
			// Nothing more can be taken away: the person is told.
		}
		if err == nil {
			spent = append(spent, answer.Usage)
		}
		return withoutNonce(b, answer), spent, err
	}
}

// cutInBlocks leaves out the oldest messages of a transcript that a window has cut, so
// that it begins with the same turn for many steps: one that moved on with each would
// have the provider read all of it anew each time. That turn is, of those in the older
// half, the one whose number can be halved most often: none is before it until it has
// left the window itself. The turn that runs stays whole.
func cutInBlocks(b *store.StepInput) {
	from, halved := 0, -1
	for i := 1; i <= len(b.Transcript)/2; i++ {
		turn := b.Transcript[i].Turn
		if turn == b.Key.Turn {
			break
		}
		if n := bits.TrailingZeros(uint(turn)); turn != b.Transcript[i-1].Turn && n > halved {
			from, halved = i, n
		}
	}
	b.Transcript = b.Transcript[from:]
}

// withoutNonce is an answer without the nonce of its prompt, should the model have
// repeated it: people and other agents read the answer.
func withoutNonce(b *store.StepInput, answer llm.Response) llm.Response {
	answer.Text = b.Nonce.Without(answer.Text)
	for i := range answer.Calls {
		answer.Calls[i].Arguments = b.Nonce.Without(answer.Calls[i].Arguments)
	}
	return answer
}

func lost(answer llm.Response, err error) []errand.Usage {
	if err != nil {
		return llm.Lost(err).Usage
	}
	return answer.BrokenOff
}

// A deltaStream is what an agent says while it says it, without the nonce of its prompt,
// however the pieces are cut.
type deltaStream struct {
	publish func(typ errand.EventType, text string)
	filter  *errand.NonceFilter
}

// stream publishes what a session's agent says. A sub-agent speaks to its caller only.
func (a *Activities) stream(b *store.StepInput) *deltaStream {
	s := &deltaStream{func(errand.EventType, string) {}, b.Nonce.Filter()}
	if b.Task == nil && b.Cause != store.CauseTask {
		s.publish = func(typ errand.EventType, text string) { a.publish(b, typ, text) }
	}
	return s
}

func (s *deltaStream) publishDelta(d llm.Delta) {
	if d.Reset {
		s.filter.Rest() // of what is not there any more
		s.publish(errand.EventReset, "")
	}
	s.publishText(s.filter.Next(d.Text))
}

func (s *deltaStream) end() { s.publishText(s.filter.Rest()) }

func (s *deltaStream) publishText(text string) {
	if text != "" {
		s.publish(errand.EventDelta, text)
	}
}

// request renders the prompt of a step, once for each time that it is made.
func (a *Activities) request(b *store.StepInput, last bool) llm.Request {
	a.rendered.Add(1)
	return a.render(b, last)
}

func (a *Activities) render(b *store.StepInput, last bool) llm.Request {
	var effort, verbosity string
	if agent, ok := a.Roster.Agent(b.Agent); ok {
		effort, verbosity = agent.Effort, agent.Verbosity
	}
	return llm.Request{
		CacheKey: cacheKey(b.Key.Owner), Effort: effort, Verbosity: verbosity,
		Background: b.Task != nil, For: string(b.Person), Guest: b.Role == errand.Guest, Model: a.modelOf(b.Agent), System: a.system(b), Messages: messages(b), Note: note(b, time.Now(), a.zoneOf(b)), Tools: a.offer(b), MustCall: a.mustCall(b), NoTools: last,
	}
}

// cacheKey names a session, or a sub-agent's task, to providers: nothing can be read
// from it.
func cacheKey(owner errand.Owner) string {
	if owner == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("errand prompt cache\x00" + string(owner)))
	return hex.EncodeToString(sum[:16])
}

func (a *Activities) modelOf(name errand.AgentName) string {
	if agent, ok := a.Roster.Agent(name); ok {
		return agent.Model
	}
	return "default"
}

// compact summarises the messages before the latest keep ones and stores the
// summary. b is left as if it had been read with that summary.
func (a *Activities) compact(ctx context.Context, b *store.StepInput, keep int) ([]errand.Usage, error) {
	old, err := a.Store.ToSummarise(ctx, b.Key.Owner, keep)
	if err != nil || len(old) == 0 {
		return nil, err
	}
	var text strings.Builder
	if b.Summary != "" {
		fmt.Fprintf(&text, "Summary of what came before:\n%s\n\n", b.Summary)
	}
	for _, m := range old {
		fmt.Fprintf(&text, "%s: %s\n", m.Speaker, errand.Cut(errand.Unmarked(m.Text), 4000))
	}
	r := llm.Request{
		Model: a.modelOf(b.Agent), Background: b.Task != nil, For: string(b.Person), Guest: b.Role == errand.Guest,
		System: "Summarise this conversation for the agent that goes on with it. Keep names, numbers, decisions, promises, task ids and open questions. " +
			"Write at most 300 words, as notes.",
		Messages: []errand.Message{{Speaker: errand.FromPerson, Text: text.String()}},
	}
	answer, err := a.Model.Complete(ctx, r, nil)
	spent := lost(answer, err)
	if err != nil {
		return spent, err
	}
	spent = append(spent, answer.Usage)
	upto := old[len(old)-1]
	if err := a.Store.SaveSummary(ctx, b.Key.Owner, upto.Turn, upto.Step, answer.Text); err != nil {
		return spent, err
	}
	b.Summary, b.Older = answer.Text, 0
	for i, m := range b.Transcript {
		if m.Turn > upto.Turn || m.Turn == upto.Turn && m.Step > upto.Step {
			b.Transcript = b.Transcript[i:]
			break
		}
	}
	return spent, nil
}
