package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/tools"
)

// TestStepsAreShownInThePersonsLanguage proves that a person reads in their own language
// what an agent does meanwhile.
func TestStepsAreShownInThePersonsLanguage(t *testing.T) {
	for language, want := range map[string][]string{
		"":      {"thinking", "looking into its notes"},
		"es-MX": {"pensando", "consultando sus notas"},
	} {
		k := newThinker(t, core.MasterAdmin, store.Limits{})
		set, err := tools.NewSet(append(tools.Delegating(), tools.Memory(k.Store)...)...)
		require.NoError(t, err)
		k.change(func(d *Deps) { d.Tools = set })
		_, err = k.Store.ChangePerson(t.Context(), "ada", store.PersonChange{Language: new(language)})
		require.NoError(t, err)
		events, stop := k.Store.Bus().Subscribe(k.key)
		defer stop()
		k.accept("what do you know of me?")
		out, _ := k.untilOver(k.step(1, 1), func(int) llmtest.Reply { return llmtest.Call("c1", "list_working_memory", `{}`) })
		require.Len(t, out.Calls, 1)
		env := new(testsuite.WorkflowTestSuite).NewTestActivityEnvironment()
		env.RegisterActivity(k.Activities)
		_, err = env.ExecuteActivity(k.Tool, wire.ToolInput{Store: k.Store.ID(), Key: core.CallKey{StepKey: k.step(1, 1).Key, Index: 1}})
		require.NoError(t, err)
		var shown []string
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for len(shown) < len(want) {
			select {
			case e := <-events:
				if e.Type == core.EventStep {
					shown = append(shown, e.Text)
				}
			case <-ctx.Done():
				t.Fatalf("a person whose language is %q sees only %q", language, shown)
			}
		}
		require.Equal(t, want, shown)
	}
}

// TestProgressIsShownInThePersonsLanguage proves that a tool tells how far it is by a text
// of errand's, which a person reads in their own language, or in words of its own.
func TestProgressIsShownInThePersonsLanguage(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	events, stop := k.Store.Bus().Subscribe(k.key)
	defer stop()
	step := &store.StepInput{Key: k.step(1, 1).Key, SessionKey: k.key, Language: "es"}
	show := k.doing(step, tools.Tool{Name: "run_code", Doing: "doing.code"})
	show("doing.code_waits")
	show("3 de 4")
	for _, want := range []string{"ejecutando un programa", "esperando a que termine otro programa", "3 de 4"} {
		select {
		case e := <-events:
			require.Equal(t, want, e.Text)
		case <-time.After(10 * time.Second):
			t.Fatalf("%q is not shown", want)
		}
	}
}
