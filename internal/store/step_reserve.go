package store

import (
	"math"
	"strconv"
	"unicode/utf8"

	"errand"
)

// A Reserve says what to reserve for a model call. The prompt is made after the
// transaction; in it, its length is reckoned from what the store has of it.
type Reserve struct {
	// Prompts are how many characters a prompt has before anything is said in it.
	Prompts map[PromptOf]int
	Answer  int // tokens
	// Scale is how many tokens the model of an agent has for one that is reckoned here;
	// of agents that are not in it 1.
	Scale map[errand.AgentName]float64
	// Sees are the agents whose models are shown pictures.
	Sees map[errand.AgentName]bool
}

// PromptOf says whose prompt it is: an agent's, at work for somebody with a role.
type PromptOf struct {
	Agent errand.AgentName
	Role  errand.Role
}

// Characters that a prompt has around what the store knows of it. They are bounds:
// what is reserved is not to be less than the call may cost.
const (
	aroundTask     = 200 // id, names of agents, state, age and marks of a task in the note
	aroundKey      = 8   // of a note of the agent's
	aroundPlace    = 200 // session, channel and who reads it
	aroundHandOver = 300 // who took over, and who was declined
	aroundMemory   = 200
	aroundSummary  = 100
	aroundPlan     = 200 // whose it is, and how it is changed
	aroundItem     = 16  // of a plan: its state
	aroundPicture  = 200 // what is said of one
)

// promptTokens reckons the tokens of the prompt that is made of b.
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
			n += errand.CharactersOf(p.Tokens)
		}
	}
	for _, tasks := range [][]errand.Task{b.OpenTasks, b.Unread} {
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
	tokens := errand.TokensOf(n)
	if scale, ok := in.Reserve.Scale[b.Agent]; ok {
		tokens = int(math.Ceil(float64(tokens) * scale))
	}
	return tokens
}

// quoted is how many characters a text has in quotes. So a prompt has what people and
// models call things, and what cannot be printed stands there as an escape.
func quoted(text string) int { return utf8.RuneCountInString(strconv.Quote(text)) }

// reserve reserves what the model call may cost, once for every attempt at it,
// or sets b.refused where a budget has not that much left.
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
