package core

import "strings"

// A Deed is an action that the audit log records. Its name begins with the kind of its subject, by
// which a list can be filtered.
type Deed string

// The details of deeds are enums and ids, never texts of people.
const (
	DeedRole           Deed = "people.role"   // detail: the new role
	DeedPersonChange   Deed = "people.change" // detail: name, language or time_zone
	DeedPersonRemove   Deed = "people.remove"
	DeedLink           Deed = "identities.add"
	DeedUnlink         Deed = "identities.remove"
	DeedTokenMake      Deed = "tokens.make" // detail: its kind
	DeedTokenRevoke    Deed = "tokens.revoke"
	DeedWebhookSecret  Deed = "webhooks.secret"  // a new one was made
	DeedPairingApprove Deed = "pairings.approve" // detail: the new role
	DeedPairingDeny    Deed = "pairings.deny"
	DeedAnswer         Deed = "questions.answer"
	DeedDecline        Deed = "questions.decline"
	DeedApprove        Deed = "approvals.approve" // detail: yes, or session for the whole session
	DeedDisapprove     Deed = "approvals.decline"
	DeedWithdraw       Deed = "approvals.withdraw" // all open ones of a session
	DeedTaskCancel     Deed = "tasks.cancel"       // with everything that it delegated
	DeedStop           Deed = "sessions.stop"      // the current turn, with the tasks it waited for
	DeedSessionDelete  Deed = "sessions.delete"
	DeedNoteForget     Deed = "notes.forget" // detail: the agent
	DeedRetry          Deed = "deliveries.retry"
	DeedDismiss        Deed = "deliveries.dismiss"
	DeedPause          Deed = "installation.pause"
	DeedResume         Deed = "installation.resume"
	DeedRestore        Deed = "installation.restore" // detail: when the backup was made
)

// Deeds returns all deeds.
func Deeds() []Deed {
	return []Deed{DeedRole, DeedPersonChange, DeedPersonRemove, DeedLink, DeedUnlink, DeedTokenMake, DeedTokenRevoke, DeedWebhookSecret,
		DeedPairingApprove, DeedPairingDeny, DeedAnswer, DeedDecline, DeedApprove, DeedDisapprove, DeedWithdraw, DeedTaskCancel, DeedStop,
		DeedSessionDelete, DeedNoteForget, DeedRetry, DeedDismiss, DeedPause, DeedResume, DeedRestore}
}

// Matches reports whether word is the name of a deed or its first part.
func (d Deed) Matches(word string) bool {
	return string(d) == word || strings.HasPrefix(string(d), word+".")
}
