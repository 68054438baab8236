package app_test

import "errand"

// recordRemote records what becomes of tasks at a peer: one that completes, and one that is
// canceled.
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
		if _, err := in.Service.CancelTask(in.t.Context(), owner, canceled, "not needed"); err != nil {
			in.t.Fatal(err)
		}
		eventually(in.t, "the end of the task there", func() bool { return other.has("the way to Rome").state == "CANCELED" })
		return map[string]string{
			"remoteagent-completed": string(errand.SubAgentOwner(completed, "oracle")),
			"remoteagent-canceled":  string(errand.SubAgentOwner(canceled, "oracle")),
			"delegation-to-a-peer":  string(completed),
		}
	}
}
