// Package platform is what both halves of every platform share, its notifier and
// its channel: what an error means, and what somebody can do about it. Each platform
// has a folder of its own, with its client, its ids and its errors.
package platform

import "time"

// A Failure is what an error of a platform means, whoever has met it.
type Failure struct {
	Kind Kind
	Err  error // what is wrong, without secrets and without what was sent
	// Advice is what the operator can do about the account; empty: it passes by
	// itself, or Err says what to do about the chat.
	Advice     string
	RetryAfter time.Duration // when it is worth another attempt; 0: nobody knows
	ChatGone   bool          // the chat is not there any more, or the account is not in it
}

// A Kind is what became of a call, and of its account.
type Kind string

// The kinds.
const (
	Unknown   Kind = "unknown"    // it may have been done
	NotDone   Kind = "not done"   // it was not done for certain, and may be tried again
	Refused   Kind = "refused"    // it is not done however often it is tried: a person has to change something
	LoggedOut Kind = "logged out" // it was not done, nor is anything else before the account is set up again
	Replaced  Kind = "replaced"   // another program has what this one needs
)

// SetUp is the command that links an account, or gives it another token, as an
// advice names it.
func SetUp(channel, account string) string {
	command := "errand channels add " + channel
	if account != "main" {
		command += " --account " + account
	}
	return "`" + command + "`"
}
