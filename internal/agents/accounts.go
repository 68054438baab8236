package agents

import (
	"slices"

	"errand"
)

// An Account is one of ours on a platform, and the agent that sessions on it
// begin with and return to: there it is the primary agent.
type Account struct {
	errand.Account
	Agent errand.AgentName
}

// Accounts are all of ours.
type Accounts []Account

// Roster returns r as it is on an account: with the account's agent for the
// primary one.
func (as Accounts) Roster(r *Roster, at errand.Account) *Roster {
	for _, a := range as {
		if a.Account == at {
			return r.with(a.Agent)
		}
	}
	return r
}

// Has reports whether there is such an account.
func (as Accounts) Has(at errand.Account) bool {
	return slices.ContainsFunc(as, func(a Account) bool { return a.Account == at })
}

// OfSession is Roster for the account that a session is on.
func (as Accounts) OfSession(r *Roster, key errand.SessionKey) *Roster {
	route, _, err := key.Parse()
	if err != nil {
		return r // a session of no account
	}
	return as.Roster(r, route.At())
}

// Of returns the account of an agent on a channel: the one named, if that is its
// own, else the first that is.
func (as Accounts) Of(agent errand.AgentName, at errand.Account) (errand.Account, bool) {
	var own errand.Account
	for _, a := range as {
		switch {
		case a.Agent != agent || a.Channel != at.Channel:
		case a.Account == at:
			return at, true
		case own.Name == "":
			own = a.Account
		}
	}
	return own, own.Name != ""
}

// with returns r with another primary agent; r itself, where there is none of that
// name.
func (r *Roster) with(primary errand.AgentName) *Roster {
	a, ok := r.byName[primary]
	if !ok || a == r.primary {
		return r
	}
	return &Roster{primary: a, byName: r.byName}
}
