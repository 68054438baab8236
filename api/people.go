package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// PersonID is part of inputs with a person in the path.
type PersonID struct {
	ID string `path:"id" description:"person id, its unique beginning, or a name"`
}

// A PersonView is a person with identities and tokens, without the secrets of the tokens.
type PersonView struct {
	core.Person
	Identities []core.Identity `json:"identities"`
	Tokens     []core.Token    `json:"tokens"`
}

type ListPeopleInput struct {
	After
	Limit int `query:"limit" maximum:"1000" description:"at most so many; everybody when left out"`
}

var ListPeople = Op[ListPeopleInput, List[PersonView]]{
	Name: "listPeople", Needs: rights.PeopleRead, Route: "GET /api/people",
	About: "List people with their identities and tokens, without the tokens' secrets",
}

// A PersonChange changes the fields that are not nil.
type PersonChange struct {
	Name     *string `json:"name,omitempty"`
	Language *string `json:"language,omitempty" description:"BCP 47"`
	TimeZone *string `json:"time_zone,omitempty" description:"IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's"`
}

type ChangePersonInput struct {
	PersonID
	Body struct {
		Role *string `json:"role,omitempty" description:"one of errand's roles, or this installation's name of it"`
		PersonChange
	}
}

var ChangePerson = Op[ChangePersonInput, core.Person]{
	Name: "changePerson", Needs: rights.PeopleChange, Also: []string{rights.SelfRead, rights.PeopleRead, rights.SelfChange},
	Route: "POST /api/people/{id}", Deeds: []core.Deed{core.DeedRole, core.DeedPersonChange},
	About: "Change a person's role, language, name or time zone; omitted fields stay unchanged", Answer: "the person",
}

var DeletePerson = Op[PersonID, core.Person]{
	Name: "deletePerson", Needs: rights.PeopleRemove, Also: []string{rights.SelfRead, rights.PeopleRead},
	Route: "DELETE /api/people/{id}", Deeds: []core.Deed{core.DeedPersonRemove},
	About: "Remove a person with all identities and tokens", Answer: "the removed person",
}

// An IdentityIn identifies a person on a channel.
type IdentityIn struct {
	Channel    string `json:"channel" required:"true"`
	Account    string `json:"account"`
	ExternalID string `json:"external_id" required:"true"`
}

type AddIdentityInput struct {
	PersonID
	Body IdentityIn
}

var AddIdentity = Op[AddIdentityInput, core.Person]{
	Name: "addIdentity", Needs: rights.PeopleLink, Also: []string{rights.SelfRead, rights.PeopleRead},
	Route: "POST /api/people/{id}/identities", Deeds: []core.Deed{core.DeedLink, core.DeedPairingApprove},
	About: "Add an identity on a channel to a person", Answer: "the person",
}

type RemoveIdentityInput struct {
	PersonID
	Channel    string `query:"channel" description:"channel"`
	Account    string `query:"account" description:"account"`
	ExternalID string `query:"external_id" description:"how the channel knows them"`
}

var RemoveIdentity = Op[RemoveIdentityInput, core.Person]{
	Name: "removeIdentity", Needs: rights.PeopleLink, Also: []string{rights.SelfRead, rights.PeopleRead},
	Route: "DELETE /api/people/{id}/identities", Deeds: []core.Deed{core.DeedUnlink},
	About: "Remove an identity on a channel from a person", Answer: "the person",
}

// ListOwnIdentities lists the actor's identities on platforms.
var ListOwnIdentities = Op[None, []core.Identity]{
	Name: "listOwnIdentities", Needs: rights.SelfRead, About: "List your identities on channels",
}
