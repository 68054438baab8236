package app_test

import (
	"time"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

func asksApproval(c *config.Config) { c.Approvals = tools.Approvals{"remember": core.ApproveAlways} }

func notes(key string) string {
	return do(tool("remember", map[string]string{"key": key, "value": "v"}))
}

func recordApproved(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, notes("k"))
	in.command(chat, "/answer "+string(in.openQuestion(chat).ID)+" yes")
	in.until(key, hasText("Noted."))
	return map[string]string{"session-approved": string(key)}
}

func recordDeclined(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, notes("k"))
	in.command(chat, "/decline "+string(in.openQuestion(chat).ID)+" not that")
	in.until(key, hasText("It was declined."))
	return map[string]string{"session-declined": string(key)}
}

// recordNotApproved records a call about which nobody decides while the turn waits.
func recordNotApproved(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, notes("k"))
	q := in.openQuestion(chat)
	in.rewind(`UPDATE questions SET created = created - ?, expires = 1, next_at = 1 WHERE id = '`+string(q.ID)+`'`, 30*24*time.Hour)
	in.reconcile()
	in.until(key, hasText("No decision within"))
	return map[string]string{"session-whose-approval-expired": string(key)}
}

// recordApprovedLate records a yes that comes when the turn has gone on without.
func recordApprovedLate(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, notes("k"))
	q := in.openQuestion(chat)
	in.send(chat, "how are you?")
	in.until(key, hasText("you said how are you?"))
	in.atRest(string(key))
	in.command(chat, "/answer "+string(q.ID)+" yes")
	in.until(key, hasText("Noted."))
	return map[string]string{"session-approved-late": string(key)}
}

// recordApprovedForTask records sub-agents: one is approved while it waits, one when it was
// told something else meanwhile and waits for another.
func recordApprovedForTask(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", notes("one"))))
	q := in.openQuestion(chat)
	one := core.SubAgentOwner(q.Task, "sasha")
	in.command(chat, "/answer "+string(q.ID)+" yes")
	in.ended(q.Task)
	in.send(chat, do(send("sasha", notes("two"))))
	q = in.openQuestion(chat)
	in.command(chat, "/task "+string(q.Task)+" "+do(ask("finn", "wait approved")))
	s.asked(in.t, "wait approved")
	in.atRest(string(core.SubAgentOwner(q.Task, "sasha")))
	in.command(chat, "/answer "+string(q.ID)+" yes")
	eventually(in.t, "the approved call", func() bool {
		notes, err := in.Store.Notes(in.t.Context(), store.NoteFilter{Person: owner.Person, Agent: "sasha"})
		return err == nil && len(notes) == 2
	})
	s.open("approved")
	in.ended(q.Task)
	return map[string]string{"session-approved-for-tasks": string(key), "subagent-approved": string(one), "subagent-approved-late": string(core.SubAgentOwner(q.Task, "sasha"))}
}
