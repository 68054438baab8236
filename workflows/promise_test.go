package workflows_test

import (
	"slices"
	"testing"

	"errand/activities"
	"errand/internal/test/workflowtest"
)

// TestPromise proves that a reply which promises work that nobody has begun is not told as
// it is: its agent starts the work, or writes what is so, in one more step of the turn. No
// reply is lost by that, and none is held back where something goes on. (In
// claude-code#85874 an agent said that it dispatched the work, and made no call.)
func TestPromise(t *testing.T) {
	const promise = "say I have dispatched it. I'll get back to you."
	const told = "I have dispatched it. I'll get back to you."
	const nothing = "\n\nNothing is running in the background: no task was started. Ask me again if you want it done."
	tests := []struct {
		name  string
		says  []string // what the agent answers, in order
		trust bool
		want  []string
		calls int
		tasks int
	}{
		{name: "it says what is so", says: []string{promise, "say I cannot do that."}, want: []string{"I cannot do that."}, calls: 2},
		{name: "it starts it", says: []string{promise, do(send("sasha", "wait one")), promise}, want: []string{told}, calls: 3, tasks: 1},
		{name: "it promises the same", says: []string{promise, promise}, want: []string{told + nothing}, calls: 2},
		{name: "it stands by it", says: []string{promise, "say Keep."}, want: []string{told}, calls: 2},
		{name: "it says nothing more", says: []string{promise, "say  "}, want: []string{told}, calls: 2},
		{name: "the model fails then", says: []string{promise, "fail"}, want: []string{told + nothing}, calls: 2},
		{name: "not checked", says: []string{promise}, trust: true, want: []string{told}, calls: 1},
		{name: "it was started before", says: []string{do(send("sasha", "wait one")), promise}, want: []string{told}, calls: 2, tasks: 1},
		{name: "it is a letter", says: []string{"say Write: “I'll get back to you.”"}, want: []string{"Write: “I'll get back to you.”"}, calls: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := workflowtest.Options{Activities: func(d *activities.Deps) { d.TrustPromises = test.trust }}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				in.Stage.Plays("nikki", test.says...)
				in.Send("please do it")
				if got := in.Read(); !slices.Equal(got, test.want) {
					t.Errorf("the person reads %q, want %q", got, test.want)
				}
				if n := in.Stage.Called("nikki"); n != test.calls {
					t.Errorf("the model is called %d times, want %d", n, test.calls)
				}
				if n := len(in.Tasks()); n != test.tasks {
					t.Errorf("%d tasks, want %d", n, test.tasks)
				}
			})
		})
	}
}
