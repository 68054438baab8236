package core

import "time"

// A Doer is the actor of an entry in the audit log.
type Doer struct {
	Person PersonID `json:"person" description:"who did it, or the person that errand did it for"`
	// Via is the token or agent that acted for the person; empty: they acted themselves.
	Via string `json:"via,omitempty" description:"what acted for the person: the id of a token, an agent, or program (a program without a person's token); omitted: the person acted"`
	// Door is how they came in.
	Door string `json:"door,omitempty" description:"the way in: page, cli, api, mcp, a2a, openai, agent (a tool call), or a platform. cli is what the program says of itself"`
}

// An AuditEntry is an entry of the audit log.
type AuditEntry struct {
	ID   int64     `json:"id"`
	Time time.Time `json:"time"`
	Doer
	Name    string   `json:"name,omitempty" description:"the person's current name; omitted: no name, or the person was removed"`
	ViaName string   `json:"via_name,omitempty" description:"the token's current name"`
	Deed    Deed     `json:"deed"`
	Kind    string   `json:"kind" description:"kind of the changed thing: person, identity, token, task …"`
	Subject string   `json:"subject" description:"its id"`
	Whose   PersonID `json:"whose,omitempty" description:"the person it belongs to"`
	Detail  string   `json:"detail,omitempty" description:"details, such as the new role or the kind of a token"`
}
