package workflows_test

import (
	"testing"
	"time"

	"errand"
	"errand/workflows/workflowtest"
)

// TestPeerPushes proves that a peer which pushes is looked at then, whether or not somebody
// waits for it; that what is pushed again, or found by looking, is told once; and that
// a secret which nobody was given is known as that.
func TestPeerPushes(t *testing.T) {
	result := lateWords[errand.LateResult]
	secret := func(in *workflowtest.Installation) string {
		in.T.Helper()
		work, err := in.Store.PeerWork(in.T.Context(), in.TaskOf("oracle").ID, "oracle")
		if err != nil || work.Push == "" {
			in.T.Fatal(work, err)
		}
		return work.Push
	}
	push := func(in *workflowtest.Installation, secret string, want bool) {
		in.T.Helper()
		if known, err := in.House.HandlePush(in.T.Context(), secret); err != nil || known != want {
			in.T.Errorf("it is known: %v, %v", known, err)
		}
		in.Settle()
	}
	t.Run("somebody waits", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			in.Send(do(send("oracle", "the question")))
			in.Pass(24 * time.Hour)
			peer.says(result)
			for range 2 {
				push(in, secret(in), true)
			}
			in.Reads(atWork, "it is 42") // no time has passed
		})
	})
	t.Run("nobody waits", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			waitedOut(in)
			in.Reconcile()
			peer.says(result)
			for range 2 {
				push(in, secret(in), true)
			}
			in.Reconcile()
			in.Pass(2 * time.Hour)
			in.Reconcile()
			in.Reads(atWork, "has not answered", "it is 42")
		})
	})
	t.Run("nothing known", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			waitedOut(in)
			peer.says(result)
			push(in, "somebody's", false)
			push(in, "", false)
			in.Reads(atWork, "has not answered")
		})
	})
}
