package workflows_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/workflowtest"
	"errand/internal/tools"
)

// TestApprovedCallIsLost proves that an approved call whose turn was interrupted while it ran,
// and of which nobody has kept what it came to, does not stay begun for ever: the agent is told
// that the outcome is unknown once the call's time is over, in a turn of its own, once, and the
// call does not run again. The worker lets go of the call when the turn is interrupted and keeps
// nothing, which is what is left of one that has died.
func TestApprovedCallIsLost(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		lost := func(ctx context.Context, c store.Call, args json.RawMessage) (string, error) {
			if _, err := p.run(ctx, c, args); err != nil {
				return "", err
			}
			<-ctx.Done()
			return "", ctx.Err()
		}
		if err := in.Tools.Replace("bank", []tools.Tool{{Name: "bank.pay", Effect: tools.Idempotent, Timeout: time.Hour, Role: core.Guest, Run: lost}}); err != nil {
			t.Fatal(err)
		}
		in.Command("/busy interrupt")
		in.Send(do(pay(5)))
		in.Settle()
		in.Command("/answer " + string(question(in).ID) + " yes")
		in.Pass(time.Second)
		in.Send("how are you?")
		in.Pass(time.Minute)
		told := func() int {
			n := 0
			for _, said := range in.Read() {
				n += strings.Count(said, "outcome unknown")
			}
			return n
		}
		if read := in.Read(); len(p.given) != 1 || !strings.Contains(read[len(read)-1], "how are you?") {
			t.Fatalf("the tool was given %q, and the person reads %q", p.given, read)
		}
		in.Pass(50 * time.Minute)
		in.Reconcile()
		if n := told(); n != 0 {
			t.Errorf("the agent was told %d times that the outcome is unknown, while the call may still run", n)
		}
		for range 3 {
			in.Pass(15 * time.Minute)
			in.Reconcile()
		}
		in.Pass(time.Minute)
		if n := told(); n != 1 || len(p.given) != 1 {
			t.Errorf("the agent was told %d times that the outcome is unknown, and the tool was run %d times; the person reads %q", n, len(p.given), in.Read())
		}
	})
}
