package core

import "time"

// A PersonNote is an agent's note about a person, as people read it.
type PersonNote struct {
	Person  PersonID  `json:"person"`
	Agent   AgentName `json:"agent"`
	Key     string    `json:"key"`
	Value   string    `json:"value"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Updated time.Time `json:"updated"`
}
