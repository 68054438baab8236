package core

import "time"

// A Doer is the actor of an entry in the audit log.
type Doer struct {
	Person PersonID `json:"person" description:"who did it, or the person that errand did it for"`
	// Via is the token or agent that acted for the person; empty: they acted themselves.
	Via string `json:"via,omitempty" description:"what acted for them: the id of a token, program for one that shows no token of a person's, or an agent; left out: they did it themselves"`
	// Door is how they came in.
	Door string `json:"door,omitempty" description:"by which way: page, cli, api, mcp, a2a, openai, agent (a tool that it has called), or a platform. cli is what a program calls itself"`
}

// An AuditEntry is an entry of the audit log.
type AuditEntry struct {
	ID   int64     `json:"id"`
	Time time.Time `json:"time"`
	Doer
	Name    string   `json:"name,omitempty" description:"what the person is called now; left out: they have no name, or are not there any more"`
	ViaName string   `json:"via_name,omitempty" description:"likewise of a token"`
	Deed    Deed     `json:"deed"`
	Kind    string   `json:"kind" description:"what it was done to: person, identity, token, task …"`
	Subject string   `json:"subject" description:"its id"`
	Whose   PersonID `json:"whose,omitempty" description:"the person it belongs to"`
	Detail  string   `json:"detail,omitempty" description:"more of what was done: the role that was given, the kind of a token …"`
}
