package app_test

import (
	"slices"

	"errand/internal/core"
	"errand/internal/test/servicetest"
)

// recordRemote records what becomes of tasks at a peer: one that completes, one that is
// canceled, and one of which the peer asks the person.
func recordRemote(other *otherSystem) func(*installation, *stage, string) map[string]string {
	return func(in *installation, _ *stage, chat string) map[string]string {
		key := in.send(chat, do(send("oracle", "the way to Oslo")))
		in.until(key, replies(1))
		other.say(in.t, "the way to Oslo", "COMPLETED", "by night train")
		in.until(key, replies(2))
		completed := in.tasks(chat)[0].ID
		in.send(chat, do(send("oracle", "the way to Rome")))
		in.until(key, replies(3))
		canceled := in.tasks(chat)[0].ID
		other.say(in.t, "the way to Rome", "WORKING", "")
		if _, err := servicetest.CancelTask(in.t.Context(), in.Service, owner, canceled, "not needed"); err != nil {
			in.t.Fatal(err)
		}
		eventually(in.t, "the end of the task there", func() bool { return other.has("the way to Rome").state == "CANCELED" })
		key = in.send("asked", do(send("oracle", "the way to Bergen")))
		in.until(key, replies(1))
		other.say(in.t, "the way to Bergen", "INPUT_REQUIRED", "Which day?")
		in.command("asked", "/answer "+string(in.openQuestion("asked").ID)+" Monday")
		eventually(in.t, "the answer there", func() bool { return len(other.has("the way to Bergen").answers) > 0 })
		if got := other.has("the way to Bergen"); !slices.Equal(got.answers, []string{"Monday"}) || got.contexts[0] == "" {
			in.t.Errorf("the peer is answered %q, in %q", got.answers, got.contexts)
		}
		other.say(in.t, "the way to Bergen", "COMPLETED", "by night train")
		in.until(key, replies(2))
		return map[string]string{
			"remoteagent-that-asked": string(core.SubAgentOwner(in.tasks("asked")[0].ID, "oracle")),
			"remoteagent-completed":  string(core.SubAgentOwner(completed, "oracle")),
			"remoteagent-canceled":   string(core.SubAgentOwner(canceled, "oracle")),
			"delegation-to-a-peer":   string(completed),
		}
	}
}
