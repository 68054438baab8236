package agents

import (
	"slices"

	"errand/internal/core"
)

// An Account is an account of errand on a platform, with its primary agent.
type Account struct {
	core.Account
	Agent core.AgentName
}

// Accounts are all accounts of errand.
type Accounts []Account

// Roster returns r with the agent of the account at as its primary agent.
func (as Accounts) Roster(r *Roster, at core.Account) *Roster {
	for _, a := range as {
		if a.Account == at {
			return r.withPrimary(a.Agent)
		}
	}
	return r
}

// Has reports whether the account exists.
func (as Accounts) Has(at core.Account) bool {
	return slices.ContainsFunc(as, func(a Account) bool { return a.Account == at })
}

// OfSession returns the roster for the account that a session is on.
func (as Accounts) OfSession(r *Roster, key core.SessionKey) *Roster {
	route, _, err := key.Parse()
	if err != nil {
		return r // a session without an account
	}
	return as.Roster(r, route.At())
}

// Of returns an account of the agent on the channel of at: at itself if it belongs to the
// agent, else the agent's first.
func (as Accounts) Of(agent core.AgentName, at core.Account) (core.Account, bool) {
	var own core.Account
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

// withPrimary returns a roster with another primary agent, or r if that agent is unknown.
func (r *Roster) withPrimary(primary core.AgentName) *Roster {
	a, ok := r.byName[primary]
	if !ok || a == r.primary {
		return r
	}
	return &Roster{primary: a, byName: r.byName}
}
