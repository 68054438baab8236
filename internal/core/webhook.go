package core

import "time"

type WebhookState string

const (
	WebhookWaiting WebhookState = "waiting" // for the end of its task
	WebhookDue     WebhookState = "due"     // to be sent, or being retried
	WebhookSent    WebhookState = "sent"
	WebhookFailed  WebhookState = "failed" // given up
)

// A Webhook reports the end of a task to a program over HTTP. Its ID is the same in each attempt,
// so that the receiver can recognise repeats.
type Webhook struct {
	ID       string       `json:"id"`
	Person   PersonID     `json:"person"`
	Task     TaskID       `json:"task"`
	URL      string       `json:"url"`
	Push     string       `json:"push,omitempty" description:"of a notification over A2A: the id of its configuration"`
	State    WebhookState `json:"state" enum:"waiting,due,sent,failed"`
	Attempts int          `json:"attempts"`
	Error    string       `json:"error,omitempty"` // of the last attempt
	Created  time.Time    `json:"created"`
	Due      time.Time    `json:"due,omitzero"`
	Ended    time.Time    `json:"ended,omitzero"`
}
