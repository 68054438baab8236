package notifiers

import "time"

// A Failure is what an error of a platform means, for sending and receiving.
type Failure struct {
	Kind FailureKind
	Err  error // what is wrong, without secrets and without what was sent
	// Advice is what the operator can do about the account. It is empty if the failure is
	// temporary, or if Err says what to do about the chat.
	Advice     string
	RetryAfter time.Duration // when to retry; 0: unknown
	ChatGone   bool          // the chat no longer exists, or the account is not a member of it
}

// A FailureKind says whether a call took effect and whether its account still works.
type FailureKind string

// The kinds.
const (
	FailureUnknown   FailureKind = "unknown"    // it may have taken effect
	FailureNotDone   FailureKind = "not done"   // it certainly had no effect, and may be retried
	FailureRefused   FailureKind = "refused"    // retries cannot succeed: a person has to change something
	FailureLoggedOut FailureKind = "logged out" // it had no effect, and no call will work until the account is set up again
	FailureReplaced  FailureKind = "replaced"   // another program took over the connection
)

// SetUp returns the command that links an account or replaces its token, for use in Advice.
func SetUp(channel, account string) string {
	command := "errand channels add " + channel
	if account != "main" {
		command += " --account " + account
	}
	return "`" + command + "`"
}
