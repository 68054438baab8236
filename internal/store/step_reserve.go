package store

import (
	"math"
	"strconv"
	"unicode/utf8"

	"errand/internal/core"
)

// A Reserve says what to reserve for a model call. The length of the prompt is an estimate,
// because the prompt is made after the transaction.
type Reserve struct {
	// Prompts are the lengths of empty prompts, in characters.
	Prompts map[PromptOf]int
	Answer  int // tokens
	// Scale is the number of real tokens per estimated token, by agent; default 1.
	Scale map[core.AgentName]float64
	// Sees are the agents whose models get pictures.
	Sees map[core.AgentName]bool
}

// PromptOf identifies a prompt by its agent and the role of the person it works for.
type PromptOf struct {
	Agent core.AgentName
	Role  core.Role
}

// Characters around the parts of a prompt. They are upper bounds, because no call may cost more
// than its reservation.
const (
	aroundTask     = 200 // id, agents' names, state, age and marks of a task in the status note
	aroundKey      = 8   // key of a note
	aroundPlace    = 200 // session, channel and readers of the chat
	aroundHandOver = 300 // which agent took over, and which was declined
	aroundMemory   = 200
	aroundSummary  = 100
	aroundPlan     = 200 // owner of the plan, and how to change it
	aroundItem     = 16  // state of a plan's item
	aroundPicture  = 200 // description of a picture
)

func (in *BeginStep) promptTokens(b *StepInput) int {
	n := in.Reserve.Prompts[PromptOf{b.Agent, b.Role}] + aroundPlace + aroundHandOver + aroundMemory
	for _, text := range []string{b.Route.Chat, b.Route.Thread, string(b.Session)} {
		n += quoted(text)
	}
	if b.Summary != "" {
		n += aroundSummary + utf8.RuneCountInString(b.Summary)
	}
	for _, m := range b.Transcript {
		n += m.Characters()
	}
	for _, p := range b.Pictures {
		n += aroundPicture
		if in.Reserve.Sees[b.Agent] && !p.LeftOut {
			n += core.CharactersOf(p.Tokens)
		}
	}
	for _, tasks := range [][]core.Task{b.OpenTasks, b.Unread} {
		for _, t := range tasks {
			n += aroundTask + quoted(t.Title)
		}
	}
	for _, key := range b.Notes {
		n += aroundKey + quoted(key)
	}
	if len(b.Plan.Items) > 0 {
		n += aroundPlan
	}
	if b.Client != nil {
		for _, t := range b.Client.Tools {
			n += aroundTask + utf8.RuneCountInString(t.Name) + utf8.RuneCountInString(t.Description) + len(t.Parameters)
		}
	}
	for _, item := range b.Plan.Items {
		n += aroundItem + quoted(item.Text)
	}
	tokens := core.TokensOf(n)
	if scale, ok := in.Reserve.Scale[b.Agent]; ok {
		tokens = int(math.Ceil(float64(tokens) * scale))
	}
	return tokens
}

// quoted returns the length of a quoted text, in characters. Prompts quote names, and quoting
// escapes unprintable characters.
func quoted(text string) int { return utf8.RuneCountInString(strconv.Quote(text)) }

// reserve reserves once for all attempts. It sets b.refused if a budget has too little left.
func (b *stepBegin) reserve() error {
	b.out.claims, b.out.taken = b.claims, b.taken
	amount := Amount{Calls: 1}
	if b.in.Reserve.Answer > 0 {
		b.out.PromptTokens = b.in.promptTokens(b.out)
		amount.Tokens = b.out.PromptTokens + b.in.Reserve.Answer
	}
	attempts, refused, err := b.tx.reserve(b.key, b.out.Root, b.out.Person, amount)
	b.out.Attempts, b.refused = attempts, refused
	if err != nil || refused != nil {
		return err
	}
	return b.readPending()
}
