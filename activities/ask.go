package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/bits"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/prompt"
	"errand/internal/store"
)

// ask makes the model call. If the transcript has outgrown the window, it summarises older messages
// first; the store keeps the originals.
func (t *Thinker) ask(ctx context.Context, b *store.StepInput, last bool) (llm.Response, []core.Usage, error) {
	var spent []core.Usage
	if b.Older > 0 {
		usage, err := t.compact(ctx, b, t.window/2)
		spent = append(spent, usage...)
		if err != nil {
			// The window is enough to answer from. The next step tries again.
			cutInBlocks(b)
			t.logger.Warn("transcript not summarized", "session", b.Session, "agent", b.Agent, "error", err)
		}
	}
	if b.Key.Step > 1 || b.Attempts.Number > 1 {
		t.stream(b).publishDelta(llm.Delta{Reset: true})
	}
	request := t.prompts.request(b, last)
	request.Waits = func(waiting bool) {
		if waiting {
			t.step(b, "doing.waiting")
		} else {
			t.step(b, "doing.thinking")
		}
	}
	request.Keep = func(ctx context.Context, p core.PendingResponse) error {
		b.Pending = p
		return t.store.KeepPending(ctx, b, p)
	}
	for {
		stream := t.stream(b)
		request.Resume = b.Pending
		answer, err := t.model.Complete(ctx, request, stream.publishDelta)
		stream.end()
		spent = append(spent, lost(answer, err)...)
		var e *llm.Error
		if errors.As(err, &e) && e.Kind == llm.ContextOverflow && len(b.Transcript) > 2 {
			before := len(b.Transcript)
			usage, cerr := t.compact(ctx, b, before/2)
			spent = append(spent, usage...)
			if cerr != nil {
				return answer, spent, cerr
			}
			if len(b.Transcript) < before {
				request.Messages = messages(b)
				continue
			}
			// Nothing more can be cut, so the person reads the error.
		}
		if err == nil {
			spent = append(spent, answer.Usage)
		}
		return withoutNonce(b, answer), spent, err
	}
}

// cutInBlocks drops the oldest messages of a transcript that the window has cut, and keeps the same
// first turn for many steps: if the first turn moved with each step, the provider could not use its
// cache of the prompt. It chooses, among the turns in the older half, the one whose number is
// divisible by the highest power of two, so the choice changes rarely. It never cuts the current
// turn.
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

// withoutNonce removes the nonce of the prompt in case the model has repeated it: people and other
// agents read the answer.
func withoutNonce(b *store.StepInput, answer llm.Response) llm.Response {
	answer.Text = prompt.Without(b.Nonce, answer.Text)
	for i := range answer.Calls {
		answer.Calls[i].Arguments = prompt.Without(b.Nonce, answer.Calls[i].Arguments)
	}
	return answer
}

func lost(answer llm.Response, err error) []core.Usage {
	if err != nil {
		return llm.Lost(err).Usage
	}
	return answer.BrokenOff
}

// A deltaStream publishes a reply while the model writes it. It removes the prompt's nonce even if
// the nonce is split between deltas.
type deltaStream struct {
	publish func(typ core.EventType, text string)
	filter  *prompt.NonceFilter
}

func (t *Thinker) stream(b *store.StepInput) *deltaStream {
	s := &deltaStream{func(core.EventType, string) {}, prompt.Filter(b.Nonce)}
	if b.Task == nil && b.Cause != store.CauseTask {
		s.publish = func(typ core.EventType, text string) { t.publish(b, typ, text) }
	}
	return s
}

func (s *deltaStream) publishDelta(d llm.Delta) {
	if d.Reset {
		s.filter.Rest() // discard the rest of the text that was reset
		s.publish(core.EventReset, "")
	}
	s.publishText(s.filter.Next(d.Text))
}

func (s *deltaStream) end() { s.publishText(s.filter.Rest()) }

func (s *deltaStream) publishText(text string) {
	if text != "" {
		s.publish(core.EventDelta, text)
	}
}

func (p *Prompter) request(b *store.StepInput, last bool) llm.Request {
	p.rendered.Add(1)
	return p.render(b, last)
}

func (p *Prompter) render(b *store.StepInput, last bool) llm.Request {
	var effort, verbosity string
	if agent, ok := p.roster.Agent(b.Agent); ok {
		effort, verbosity = agent.Effort, agent.Verbosity
	}
	return llm.Request{
		CacheKey: cacheKey(b.Key.Owner), Effort: effort, Verbosity: verbosity,
		Background: b.Task != nil, For: string(b.Person), Guest: b.Role == core.Guest, Model: p.modelOf(b.Agent), System: p.system(b), Messages: messages(b), Note: note(b, time.Now(), p.zoneOf(b)), Tools: p.offer(b), MustCall: p.mustCall(b), NoTools: last,
	}
}

// cacheKey identifies a session or a task to providers without revealing its id.
func cacheKey(owner core.Owner) string {
	if owner == "" {
		return ""
	}
	const cacheSeed = "errand prompt cache\x00"
	sum := sha256.Sum256([]byte(cacheSeed + string(owner)))
	return hex.EncodeToString(sum[:16])
}

func (p *Prompter) modelOf(name core.AgentName) string {
	if agent, ok := p.roster.Agent(name); ok {
		return agent.Model
	}
	return "default"
}

// compact summarises old messages and changes b as if it had been read with the new summary.
func (t *Thinker) compact(ctx context.Context, b *store.StepInput, keep int) ([]core.Usage, error) {
	old, err := t.store.ToSummarise(ctx, b.Key.Owner, keep)
	if err != nil || len(old) == 0 {
		return nil, err
	}
	r := llm.Request{
		Model: t.prompts.modelOf(b.Agent), Background: b.Task != nil, For: string(b.Person), Guest: b.Role == core.Guest,
		System: prompt.Summarise, Messages: []core.Message{{Speaker: core.FromPerson, Text: prompt.ToSummarise(b.Summary, old)}},
	}
	answer, err := t.model.Complete(ctx, r, nil)
	spent := lost(answer, err)
	if err != nil {
		return spent, err
	}
	spent = append(spent, answer.Usage)
	upto := old[len(old)-1]
	if err := t.store.SaveSummary(ctx, b.Key.Owner, upto.Turn, upto.Step, answer.Text); err != nil {
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
