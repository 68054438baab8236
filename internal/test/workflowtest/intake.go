package workflowtest

import (
	"errand/internal/core"
	"errand/internal/intake"
)

// Accept takes in a message of a door, and lets happen what comes of it at once.
func (in *Installation) Accept(m intake.Inbound) intake.Outcome {
	in.T.Helper()
	out, err := in.House.Accept(in.T.Context(), m)
	if err != nil {
		in.T.Fatal(err)
	}
	in.Settle()
	return out
}

// Receive takes in a message of a platform, and lets happen what comes of it at once.
func (in *Installation) Receive(m intake.Inbound) intake.Outcome {
	in.T.Helper()
	out, err := in.House.Receive(in.T.Context(), m)
	if err != nil {
		in.T.Fatal(err)
	}
	in.Settle()
	return out
}

// Person lets somebody in with a role.
func (in *Installation) Person(id core.PersonID, name string, role core.Role) {
	in.T.Helper()
	if _, err := in.Store.EnsurePerson(in.T.Context(), id, name, role); err != nil {
		in.T.Fatal(err)
	}
}

// Current is the session of a conversation that is not over.
func (in *Installation) Current(key core.SessionKey) core.SessionID {
	in.T.Helper()
	now, err := in.Store.Current(in.T.Context(), key)
	if err != nil {
		in.T.Fatal(err)
	}
	return now.ID
}
