package core

import (
	"slices"
	"time"
)

// A PairingState is the state of a stranger's request for access.
type PairingState string

const (
	PairingPending  PairingState = "pending"
	PairingApproved PairingState = "approved"
	PairingDenied   PairingState = "denied"
	PairingExpired  PairingState = "expired"
)

// A Pairing is a stranger's request for access.
type Pairing struct {
	Code       string       `json:"code"` // easy to read aloud; case does not matter
	Channel    string       `json:"channel"`
	Account    string       `json:"account,omitempty"`
	ExternalID string       `json:"external_id"`
	OtherIDs   []string     `json:"other_ids,omitempty"` // of the same sender
	Name       string       `json:"name"`                // what they call themselves
	Language   string       `json:"language,omitempty"`
	Address    string       `json:"address,omitempty" description:"from which a browser asks"`
	Route      Route        `json:"-"` // where to report the approval; without a chat: nowhere
	State      PairingState `json:"state" enum:"pending,approved,denied,expired"`
	Created    time.Time    `json:"created"`
	Expires    time.Time    `json:"expires"`
	Decided    time.Time    `json:"decided,omitzero"`
	DecidedBy  PersonID     `json:"decided_by,omitempty"`
	Person     PersonID     `json:"person,omitempty"` // the person, once approved
}

// IDs returns all ids of the sender.
func (p Pairing) IDs() []string { return append([]string{p.ExternalID}, p.OtherIDs...) }

// KnownBy reports whether the sender has any of the ids.
func (p Pairing) KnownBy(ids []string) bool {
	return slices.ContainsFunc(p.IDs(), func(id string) bool { return slices.Contains(ids, id) })
}

// A Refusal is a sender that was refused, for the operator.
type Refusal struct {
	Channel    string    `json:"channel"`
	Account    string    `json:"account,omitempty"`
	ExternalID string    `json:"external_id"`
	Name       string    `json:"name,omitempty"`
	Reason     string    `json:"reason"`
	Times      int       `json:"times"`
	First      time.Time `json:"first"`
	Last       time.Time `json:"last"`
}
