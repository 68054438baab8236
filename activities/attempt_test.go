package activities

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/test/storetest"
	"errand/internal/texts"
	"errand/internal/tools"
)

// A thinker makes the steps of one chat as its workflow would.
type thinker struct {
	t *testing.T
	Deps
	*Activities
	model *llmtest.Model
	key   core.SessionKey
	id    core.SessionID
}

func newThinker(t *testing.T, role core.Role, limits store.Limits) *thinker {
	t.Helper()
	return newThinkerOn(t, openedWith(t, limits), role)
}

func newThinkerOn(t *testing.T, s *store.Store, role core.Role) *thinker {
	t.Helper()
	catalog, err := texts.New(nil)
	require.NoError(t, err)
	set, err := tools.NewSet(tools.Delegating()...)
	require.NoError(t, err)
	_, err = s.EnsurePerson(t.Context(), "ada", "Ada", role)
	require.NoError(t, err)
	deps, model := talkers(t, &crowd{}), llmtest.NewModel()
	deps.Store, deps.Model, deps.Tools, deps.Texts, deps.Rights = s, model, set, catalog, rights.New()
	deps.Sessions, deps.Histories = new(waker), struct{ Histories }{}
	k := core.NewSessionKey(core.WebRoute("main"), "ada")
	r, err := s.Rehydrate(t.Context(), k, "nikki")
	require.NoError(t, err)
	a := &thinker{t, deps, nil, model, k, r.Session}
	a.change(func(*Deps) {})
	return a
}

// change goes on as a worker that has something else.
func (k *thinker) change(change func(*Deps)) {
	k.t.Helper()
	change(&k.Deps)
	var err error
	k.Activities, err = New(k.Deps)
	require.NoError(k.t, err)
}

func (k *thinker) accept(text string) {
	k.t.Helper()
	_, err := k.Store.Accept(k.t.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: "ada", Role: core.MasterAdmin, MessageID: text, Text: text})
	require.NoError(k.t, err)
}

func (k *thinker) step(turn, step int) wire.ThinkInput {
	return wire.ThinkInput{Store: k.Store.ID(), Session: k.key, Key: core.StepKey{Owner: core.SessionOwner(k.id), Turn: turn, Step: step},
		Rows: store.ClaimAll, Results: step == 1, Patience: 24 * time.Hour}
}

func (k *thinker) untilOver(in wire.ThinkInput, answers func(int) llmtest.Reply) (store.StepResult, []time.Duration) {
	k.t.Helper()
	var pauses []time.Duration
	for i := 1; ; i++ {
		k.model.Then(answers(i))
		out, err := k.Think(k.t.Context(), in)
		if err == nil {
			return out, pauses
		}
		var failure *temporal.ApplicationError
		require.ErrorAs(k.t, err, &failure)
		require.False(k.t, failure.NonRetryable(), "%v", err)
		require.Positive(k.t, failure.NextRetryDelay())
		pauses = append(pauses, failure.NextRetryDelay())
		require.Less(k.t, i, 10_000, "it never ends")
	}
}

func (k *thinker) last() core.Event {
	k.t.Helper()
	list, err := k.Store.LastEvents(k.t.Context(), k.key, math.MaxInt64, 1)
	require.NoError(k.t, err)
	require.Len(k.t, list, 1)
	return list[0]
}

func sum(list []time.Duration) (total time.Duration) {
	for _, d := range list {
		total += d
	}
	return total
}

func fails(e llm.Error) func(int) llmtest.Reply {
	return func(int) llmtest.Reply { return llmtest.Fail(&e) }
}

var down = llm.Error{Kind: llm.Unreachable, Reason: llm.NoConnection, Provider: "127.0.0.1:19510", Message: "no connection; is the server running?"}

// TestAModelThatIsDown proves that a person is told within 20 seconds, once, that the model is
// down, and reads the answer as soon as it works again.
func TestAModelThatIsDown(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	events, stop := k.Store.Bus().Subscribe(k.key)
	defer stop()
	k.accept("hello")
	in := k.step(1, 1)
	in.Waited = true
	var noticed []time.Duration
	var tried time.Duration
	out, pauses := k.untilOver(in, func(i int) llmtest.Reply {
		if last := k.last(); last.Cause == core.ModelDown && len(noticed) == 0 {
			noticed = append(noticed, tried)
			require.Equal(t, "The model server can't be reached. (Admin: 127.0.0.1:19510: no connection; is the server running?) I will answer as soon as it works again.", last.Text)
			require.Zero(t, last.Turn, "the turn goes on")
		}
		if i > 100 {
			return llmtest.Text("hi")
		}
		tried += min(firstPause<<min(i-1, 10), longestPause)
		return llmtest.Fail(&down)
	})
	require.False(t, out.Failed)
	require.Len(t, noticed, 1)
	require.LessOrEqual(t, noticed[0], 20*time.Second)
	require.LessOrEqual(t, slices.Max(pauses), 30*time.Second, "how long after the model the answer comes")
	require.Equal(t, "hi", k.last().Text)
	list, err := k.Store.LastEvents(t.Context(), k.key, math.MaxInt64, 100)
	require.NoError(t, err)
	require.Len(t, slices.DeleteFunc(list, func(e core.Event) bool { return e.Cause != core.ModelDown }), 1)
	for {
		if e := <-events; e.Type == core.EventStep && !strings.HasSuffix(e.Text, "thinking") {
			require.Equal(t, "attempt 1: The model server can't be reached. (Admin: 127.0.0.1:19510: no connection; is the server running?) Trying again in 500ms.", e.Text)
			break
		}
	}
}

// TestAModelThatStaysDown proves that errand gives up after a day, and that the person may have it
// tried again.
func TestAModelThatStaysDown(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	out, pauses := k.untilOver(k.step(1, 1), fails(down))
	require.True(t, out.Failed)
	require.InDelta(t, k.step(1, 1).Patience, sum(pauses), float64(time.Minute))
	told := k.last()
	require.Equal(t, core.EventError, told.Type)
	require.Equal(t, []string{"Try again"}, told.Options)
	require.Regexp(t, `^The model server can't be reached\. I have tried \d+ times\.$`, told.Text)
	k.accept("Try again")
	k.untilOver(k.step(2, 1), func(int) llmtest.Reply { return llmtest.Text("hi") })
	require.Equal(t, "hi", k.last().Text)
}

// TestRefusedAccount proves that a person is told at once, in words for who reads them, that the
// provider refuses the account, and reads the answer once that is corrected.
func TestRefusedAccount(t *testing.T) {
	refused := llm.Error{Kind: llm.Refused, Reason: llm.BadKey, Provider: "openai", Status: 401, Message: "check OPENAI_API_KEY"}
	for _, test := range []struct {
		role  core.Role
		group bool
		want  string
	}{
		{core.MasterAdmin, false, "The model provider rejected the API key. (Admin: openai, HTTP 401: check OPENAI_API_KEY) I will answer as soon as it works again."},
		{core.MasterAdmin, true, "The model provider rejected the API key. I will answer as soon as it works again."},
		{core.Member, false, "The model provider rejected the API key. I will answer as soon as it works again."},
	} {
		k := newThinker(t, test.role, store.Limits{})
		_, err := k.Store.Accept(t.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: "ada", Role: core.MasterAdmin, MessageID: "1", Text: "hello", Group: test.group})
		require.NoError(t, err)
		in := k.step(1, 1)
		in.Waited = true
		out, _ := k.untilOver(in, func(i int) llmtest.Reply {
			if i == 1 {
				return llmtest.Fail(&refused)
			}
			require.Equal(t, test.want, k.last().Text)
			return llmtest.Text("hi")
		})
		require.False(t, out.Failed)
		require.Equal(t, "hi", k.last().Text)
	}
}

// TestTryAgainAfterARefusal proves that every call which was refused can be made again
// with a button, and that what was refused for its words says what to change first.
func TestTryAgainAfterARefusal(t *testing.T) {
	for reason, change := range map[llm.Reason]string{
		llm.NoTools: "", llm.Rejected: "Try other words", llm.TooLong: "a model with more room", llm.Filtered: "Say it differently",
	} {
		k := newThinker(t, core.Member, store.Limits{})
		k.accept("hello")
		out, pauses := k.untilOver(k.step(1, 1), fails(llm.Error{Kind: llm.Refused, Reason: reason}))
		require.True(t, out.Failed)
		require.Empty(t, pauses)
		require.Equal(t, []string{"Try again"}, k.last().Options, "after %s", reason)
		require.Contains(t, k.last().Text, change)
		k.accept("Try again")
		k.untilOver(k.step(2, 1), func(int) llmtest.Reply { return llmtest.Text("hi") })
		require.Equal(t, "hi", k.last().Text)
	}
}

// TestTryAgainAfterABudget proves that an answer for which a budget has nothing left can
// be tried again: what one request may use is there once more, and a day's once it has
// been raised.
func TestTryAgainAfterABudget(t *testing.T) {
	again := []string{"Try again"}
	t.Run("of a request", func(t *testing.T) {
		k := newThinker(t, core.Member, store.Limits{Turn: store.Amount{Calls: 1}})
		k.accept("hello")
		k.model.Then(llmtest.Call("c1", "no_such_tool", `{}`))
		_, err := k.Think(t.Context(), k.step(1, 1))
		require.NoError(t, err)
		out, err := k.Think(t.Context(), k.step(1, 2))
		require.NoError(t, err)
		require.True(t, out.Failed)
		require.Equal(t, again, k.last().Options)
		require.Equal(t, "I have to stop here: this request has used up its limit of one model call. Try again, and I continue from here with the same limit. An Admin can raise it.", k.last().Text)
		k.accept("Try again")
		k.untilOver(k.step(2, 1), func(int) llmtest.Reply { return llmtest.Text("hi") })
		require.Equal(t, "hi", k.last().Text)
		requests := k.model.Requests()
		require.Contains(t, fmt.Sprint(requests[len(requests)-1].Messages), "no_such_tool", "it goes on from there")
	})
	t.Run("of a day", func(t *testing.T) {
		file := storetest.File(t)
		k := newThinkerOn(t, openedOn(t, file, store.Limits{PersonDay: store.Amount{Calls: 1}}), core.Member)
		k.accept("hello")
		k.untilOver(k.step(1, 1), func(int) llmtest.Reply { return llmtest.Text("hi") })
		k.accept("more")
		out, err := k.Think(t.Context(), k.step(2, 1))
		require.NoError(t, err)
		require.True(t, out.Failed)
		require.Equal(t, again, k.last().Options)
		require.Equal(t, "You've reached today's limit of one model call. It resets at 00:00 UTC. Try again then, or ask an Admin to raise the limit.", k.last().Text)
		require.NoError(t, k.Store.Close())
		k.change(func(d *Deps) { d.Store = openedOn(t, file, store.Limits{PersonDay: store.Amount{Calls: 2}}) })
		k.accept("Try again")
		k.untilOver(k.step(3, 1), func(int) llmtest.Reply { return llmtest.Text("again") })
		require.Equal(t, "again", k.last().Text)
	})
	t.Run("of a task", func(t *testing.T) {
		k := newThinker(t, core.Member, store.Limits{Turn: store.Amount{Calls: 2}})
		k.accept("please")
		k.model.Then(llmtest.Call("c1", "call_agent_async", `{"agent": "sasha", "task": "trains"}`))
		out, err := k.Think(t.Context(), k.step(1, 1))
		require.NoError(t, err)
		id := out.Calls[0].Task
		k.model.Then(llmtest.Text("Sasha is on it."))
		_, err = k.Think(t.Context(), k.step(1, 2))
		require.NoError(t, err)
		_, err = k.Think(t.Context(), wire.ThinkInput{Store: k.Store.ID(), Key: core.StepKey{Owner: core.SubAgentOwner(id, "sasha"), Turn: 1, Step: 1}})
		require.NoError(t, err)
		task, err := k.Store.Task(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "I have to stop here: this request has used up its limit of 2 model calls.", task.Error, "no word in the chat tries a task again")
	})
}

// TestAProviderThatAsksToWait proves that a Retry-After of minutes is lived to see.
func TestAProviderThatAsksToWait(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	events, stop := k.Store.Bus().Subscribe(k.key)
	defer stop()
	k.accept("hello")
	in := k.step(1, 1)
	in.Waited = true
	out, pauses := k.untilOver(in, func(i int) llmtest.Reply {
		if i == 1 {
			return llmtest.Fail(&llm.Error{Kind: llm.RateLimited, Status: 429, RetryAfter: 9 * time.Minute})
		}
		return llmtest.Text("hi")
	})
	require.False(t, out.Failed)
	require.Equal(t, []time.Duration{9 * time.Minute}, pauses)
	for e := range events {
		if e.Cause == core.ModelDown {
			require.Equal(t, "The model provider accepts no more requests right now. I will answer as soon as it works again.", e.Text, "at once: the wait is long")
			return
		}
		require.NotEqual(t, core.EventReply, e.Type, "nobody was told of the wait")
	}
}

// TestASilentModel proves that a person waits for the first token once, and is
// then told; what the provider was given is booked.
func TestASilentModel(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	silent := llm.Error{Kind: llm.Unreachable, Reason: llm.Silent, Lost: llm.Loss{Took: 10 * time.Minute, Usage: []core.Usage{{Model: "m", InputTokens: 70}}}}
	out, pauses := k.untilOver(k.step(1, 1), fails(silent))
	require.True(t, out.Failed)
	require.Empty(t, pauses)
	require.Equal(t, "The model did not begin to answer in time.", k.last().Text)
	spent, err := k.Store.Spent(t.Context(), store.SpentBy{Session: k.id})
	require.NoError(t, err)
	require.Equal(t, store.Amount{Calls: 1, Tokens: 70}, spent)
}

// TestNonsense proves that a model may answer nonsense four times.
func TestNonsense(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	out, pauses := k.untilOver(k.step(1, 1), fails(llm.Error{Kind: llm.BadAnswer, Reason: llm.Empty}))
	require.True(t, out.Failed)
	require.Len(t, pauses, 3)
	require.Equal(t, "The model sent an empty answer. I have tried 4 times.", k.last().Text)
}

// TestTimeAway proves that time in which errand was away is not the model's: an
// attempt that was cut off counts for nothing but its price.
func TestTimeAway(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	input := llm.Estimate(llm.Request{}) // of what nobody counted, at least
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		k.model.Answer = func(context.Context, llm.Request) llmtest.Reply { cancel(); return llmtest.Reply{} }
		_, err := k.Think(ctx, k.step(1, 1))
		require.ErrorIs(t, err, context.Canceled)
	}
	k.model.Answer = nil
	// Killed: the first transaction, and nothing after it.
	for range 2 {
		_, err := k.begin(t.Context(), k.step(1, 1))
		require.NoError(t, err)
	}
	out, pauses := k.untilOver(k.step(1, 1), fails(down))
	require.True(t, out.Failed)
	require.InDelta(t, 24*time.Hour, sum(pauses), float64(time.Minute), "patience is whole")
	spent, err := k.Store.Spent(t.Context(), store.SpentBy{Session: k.id})
	require.NoError(t, err)
	require.Equal(t, 2, spent.Calls, "the two that died in a call")
	require.Greater(t, spent.Tokens, 2*input)
}

// TestATaskGoesOn proves that a sub-agent tries for hours, says why on its card,
// and lets people go first.
func TestATaskGoesOn(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("please")
	k.model.Then(llmtest.Call("c1", "call_agent_async", `{"agent": "sasha", "task": "trains"}`))
	out, err := k.Think(t.Context(), k.step(1, 1))
	require.NoError(t, err)
	id := out.Calls[0].Task
	in := wire.ThinkInput{Store: k.Store.ID(), Key: core.StepKey{Owner: core.SubAgentOwner(id, "sasha"), Turn: 1, Step: 1}, Results: true, Patience: 24 * time.Hour}
	out, pauses := k.untilOver(in, func(i int) llmtest.Reply {
		if i == 1000 {
			return llmtest.Text("done")
		}
		return llmtest.Fail(&down)
	})
	require.False(t, out.Failed)
	require.Greater(t, sum(pauses), 4*time.Hour)
	requests := k.model.Requests()
	require.True(t, requests[len(requests)-1].Background)
	require.False(t, requests[0].Background)
	// The card.
	k.accept("more")
	k.model.Then(llmtest.Call("c1", "call_agent_async", `{"agent": "sasha", "task": "ships"}`))
	out, err = k.Think(t.Context(), k.step(2, 1))
	require.NoError(t, err)
	in.Key.Owner = core.SubAgentOwner(out.Calls[0].Task, "sasha")
	k.model.Then(llmtest.Fail(&down))
	_, err = k.Think(t.Context(), in)
	require.Error(t, err)
	task, err := k.Store.Task(t.Context(), out.Calls[0].Task)
	require.NoError(t, err)
	require.Equal(t, "attempt 1: The model server can't be reached. Trying again in 500ms.", task.Trouble)
}

// TestATaskGivesUp proves that the patience of a task has an end, by the time of
// its attempts.
func TestATaskGivesUp(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("please")
	k.model.Then(llmtest.Call("c1", "call_agent_async", `{"agent": "sasha", "task": "trains"}`))
	out, err := k.Think(t.Context(), k.step(1, 1))
	require.NoError(t, err)
	in := wire.ThinkInput{Store: k.Store.ID(), Key: core.StepKey{Owner: core.SubAgentOwner(out.Calls[0].Task, "sasha"), Turn: 1, Step: 1}, Results: true, Patience: time.Hour}
	out, pauses := k.untilOver(in, fails(down))
	require.True(t, out.Failed)
	require.InDelta(t, time.Hour, sum(pauses), float64(2*time.Minute))
}

// TestAttemptsCostTheBudget proves that a call which is paid for and never
// answered ends with the budget.
func TestAttemptsCostTheBudget(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{Turn: store.Amount{Calls: 3}})
	k.accept("hello")
	broken := llm.Error{Kind: llm.Unreachable, Reason: llm.BrokenOff, Lost: llm.Loss{Usage: []core.Usage{{Model: "m", InputTokens: 70}}}}
	out, pauses := k.untilOver(k.step(1, 1), fails(broken))
	require.True(t, out.Failed)
	require.Len(t, pauses, 2)
	require.Equal(t, "The connection to the model broke off. I have to stop here: this request has used up its limit of 3 model calls. Try again, and I continue from here with the same limit. An Admin can raise it.", k.last().Text)
	_, err := k.Store.ChangePerson(t.Context(), "ada", store.PersonChange{Language: new("es")})
	require.NoError(t, err)
	k.accept("hola")
	_, _ = k.untilOver(k.step(2, 1), fails(broken))
	require.Equal(t, "Se ha cortado la conexión con el modelo. Tengo que parar aquí: esta petición ha agotado su límite de 3 llamadas al modelo. Inténtalo de nuevo y continúo desde aquí con el mismo límite. Un Admin puede subirlo.", k.last().Text)
}

// TestFoldTimeout proves that a turn which only tells results is bounded while it
// is at work, too.
func TestFoldTimeout(t *testing.T) {
	a := &Activities{}
	b := &store.StepInput{Cause: store.CauseResults, Attempts: store.Attempts{Number: 2, Tried: 9 * time.Minute}}
	ctx, end := a.withPatience(t.Context(), wire.ThinkInput{Patience: 9 * time.Minute}, b)
	defer end()
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), errFoldTimeout)
	b.Cause = store.CauseMessage
	ctx, end = a.withPatience(t.Context(), wire.ThinkInput{Patience: 9 * time.Minute}, b)
	defer end()
	require.NoError(t, ctx.Err())
}
