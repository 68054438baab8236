package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type ListPairingsInput struct {
	Waiting bool `query:"waiting" description:"true: only those that wait for a decision"`
}

var ListPairings = Op[ListPairingsInput, []core.Pairing]{
	Name: "listPairings", Needs: rights.PairingsDecide, Route: "GET /api/pairings",
	About: "List requests for access",
}

// PairingCode is part of inputs with the code of a pairing in the path.
type PairingCode struct {
	Code string `path:"code" id:"code" description:"the code that they were told"`
}

type ApprovePairingInput struct {
	PairingCode
	Body struct {
		Role   string `json:"role" description:"member by default"`
		Person string `json:"person" description:"who they are, if they are known already"`
	}
}

// An ApprovedPairing is a pairing with the person that its sender is now.
type ApprovedPairing struct {
	Pairing core.Pairing `json:"pairing"`
	Person  core.Person  `json:"person"`
}

var ApprovePairing = Op[ApprovePairingInput, ApprovedPairing]{
	Name: "approvePairing", Needs: rights.PairingsDecide, Also: []string{rights.SelfRead, rights.PeopleRead},
	Route: "POST /api/pairings/{code}/approve", Deeds: []core.Deed{core.DeedPairingApprove},
	About: "Approve a request for access", Answer: "the pairing and the person",
}

// A DeniedPairing names a pairing that was denied.
type DeniedPairing struct {
	Code  string `json:"code"`
	State string `json:"state"`
}

var DenyPairing = Op[PairingCode, DeniedPairing]{
	Name: "denyPairing", Needs: rights.PairingsDecide, Route: "POST /api/pairings/{code}/deny", Deeds: []core.Deed{core.DeedPairingDeny},
	About: "Deny a request for access", Answer: "denied",
}

var ListRefusals = Op[None, []core.Refusal]{
	Name: "listRefusals", Needs: rights.RefusalsRead, Route: "GET /api/refusals",
	About: "List senders that were refused",
}
