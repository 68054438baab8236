package core

import "time"

// An Identity identifies a person on a channel. A person may have several: the number and the
// hidden id on one messenger, and ids on others.
type Identity struct {
	Channel    string    `json:"channel"`
	Account    string    `json:"account,omitempty"` // errand's account on which they were first seen; empty: all of the channel
	ExternalID string    `json:"external_id"`
	Name       string    `json:"name,omitempty"` // what they call themselves there
	Person     PersonID  `json:"person"`
	Created    time.Time `json:"created,omitzero"`
}

// HoldsOn reports whether the identity is valid on one of errand's accounts.
func (i Identity) HoldsOn(at Account) bool {
	return i.Channel == at.Channel && (i.Account == at.Name || i.Account == "" || SharesIDs(at.Channel))
}

// A Person is a human who may use errand.
type Person struct {
	ID        PersonID  `json:"id"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	Language  string    `json:"language,omitempty"`   // BCP 47; empty: the installation's
	LastAgent AgentName `json:"last_agent,omitempty"` // the specialist they last talked with
	Created   time.Time `json:"created"`

	TimeZone string `json:"time_zone,omitempty" description:"IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's"`
}
