package chaos

import (
	"context"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/sim/a2a"
)

const oracles = "where the train is"

// Whoever waited for a peer has ended: it was waited out, where the peer then says a result or
// how far it is, and canceled, where it says anything else. Then it says that, late, and ann
// is told once.
func late(kind core.LateKind) *story {
	said := map[core.LateKind]struct {
		state a2a.State
		words string
		told  string // what the model is given of it
		ends  string // the call by which nobody waits any more
	}{
		core.LateResult:        {a2a.Completed, "in Oslo", "in Oslo", "/giveup"},
		core.LateStatus:        {a2a.Working, "halfway", "halfway", "/giveup"},
		core.LateError:         {a2a.Failed, "no rails", "The peer has failed: no rails", "/cancel"},
		core.LateInputRequired: {a2a.InputRequired, "Which train?", "Which train?", "/cancel"},
	}[kind]
	const over = "nobody waits for the oracle"
	return &story{
		text: "good evening", tasks: 2,
		done: func(t core.Task) bool {
			switch {
			case t.Late != "":
				return t.State == t.Late.State() && t.Way == core.WayFold
			case said.ends == "/cancel":
				return t.State == core.Canceled
			}
			return t.State == core.Failed && t.Way == core.WayFold
		},
		delivered: func(seen []string) bool {
			want := []string{"you said good evening", over, "a late " + string(kind) + " arrived from oracle: " + said.told}
			if said.ends == "/cancel" {
				want = slices.Delete(want, 1, 2) // whoever cancels knows
			}
			return slices.Equal(seen, want)
		},
		setUp: func(w *world) {
			w.oracle = &a2a.Peer{}
			server := httptest.NewServer(w.oracle)
			w.t.Cleanup(server.Close)
			w.configure("remote_agents: {oracle: {card: \"" + server.URL + a2a.CardPath + "\", description: Knows.}}\n")
		},
		then: func(ctx context.Context, w *world, _ <-chan struct{}) {
			if !w.greeted(ctx) {
				return
			}
			w.delegate(ctx, url.Values{"agent": {"oracle"}, "text": {oracles}})
			list, err := w.tasks(ctx)
			if err != nil || len(list) != 1 {
				w.t.Errorf("tasks are %v, %v", list, err)
				return
			}
			of, work := url.Values{"task": {string(list[0].ID)}, "agent": {"oracle"}}, store.PeerWork{}
			for w.get(ctx, "/peer?"+of.Encode(), &work) != nil || work.PeerTask == "" {
				if !w.pause(ctx) {
					w.t.Errorf("the peer was sent %q, and what is known of it is %+v", w.oracle.Texts(), work)
					return
				}
			}
			if err := w.post(ctx, said.ends, of); err != nil {
				w.t.Errorf("the wait for the peer has not ended: %v", err)
				return
			}
			ended := func() bool { return slices.Contains(w.platform.Seen("ann"), over) }
			if said.ends == "/cancel" {
				ended = func() bool { return w.oracle.IsCanceled(w.oracle.Texts()[0]) }
			}
			for !ended() {
				if !w.pause(ctx) {
					return
				}
			}
			if err := w.oracle.Says(w.oracle.Texts()[0], said.state, said.words); err != nil {
				w.t.Error(err)
			}
		},
		end: func(_ context.Context, w *world) {
			if texts := w.oracle.Texts(); len(texts) != 1 || !strings.Contains(texts[0], oracles) {
				w.t.Errorf("the peer was sent %q", texts)
			}
		},
	}
}
