package core

import "time"

// A PushSubscription is a browser that receives events while it has no open page.
type PushSubscription struct {
	ID     string   `json:"id"`
	Person PersonID `json:"-"`
	// Login is the browser's login token; the subscription ends with it. Empty: the browser has no
	// login.
	Login string `json:"-"`
	// Endpoint is the URL of the push service. It is a secret.
	Endpoint string    `json:"-"`
	P256DH   string    `json:"-"`
	Auth     string    `json:"-"`
	Label    string    `json:"label" description:"the browser's name for itself"`
	Words    bool      `json:"words" description:"true: notifications contain the results; false: they only say that there is one"`
	Created  time.Time `json:"created"`
	Sent     time.Time `json:"sent,omitzero" description:"when its push service last accepted a message"`
	Failures int       `json:"failures" description:"failed attempts since its push service last accepted a message"`
	Error    string    `json:"error,omitempty" description:"error of the last failed attempt"`
}

// An A2APush is the address of a program that errand calls when a task asks a question or ends.
type A2APush struct {
	Task        TaskID
	ID          string
	Base        string // the address at which the program calls errand
	URL         string
	Token       string // sent with each call, so that the receiver recognises it; empty: none
	Scheme      string // of the credentials: Bearer or Basic; empty: none
	Credentials string
}
