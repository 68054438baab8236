package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// TokenID is part of inputs with a token in the path.
type TokenID struct {
	ID string `path:"id" id:"token" description:"token id"`
}

// A NewToken describes a token to make.
type NewToken struct {
	Name  string `json:"name"`
	Days  int    `json:"days" description:"validity in days; 0: no end. A token that a token creates for its own person ends no later than it"`
	Scope string `json:"scope,omitempty" description:"read, chat, delegate or admin, several separated by spaces; omitted: everything that the person may do. A token cannot create a token with more rights"`
}

type CreateOwnTokenInput struct {
	Body NewToken
}

type CreateTokenInput struct {
	PersonID
	Body NewToken
}

// A MadeToken is a token with its secret, which errand shows once.
type MadeToken struct {
	core.Token
	Secret string `json:"token"`
}

// A RevokedToken names the token that was revoked.
type RevokedToken struct {
	ID string `json:"id"`
}

var ListOwnTokens = Op[None, []core.Token]{
	Name: "listOwnTokens", Needs: rights.SelfRead, Route: "GET /api/me/tokens",
	About: "List your tokens, without their secrets",
}

var CreateOwnToken = Op[CreateOwnTokenInput, MadeToken]{
	Name: "createOwnToken", Needs: rights.SelfChange, Least: core.Member,
	Route: "POST /api/me/tokens", Status: 201, Deeds: []core.Deed{core.DeedTokenMake},
	About: "Create a token for yourself; only this answer shows its secret", Answer: "the token",
}

var RevokeOwnToken = Op[TokenID, RevokedToken]{
	Name: "revokeOwnToken", Needs: rights.SelfChange, Route: "DELETE /api/me/tokens/{id}", Deeds: []core.Deed{core.DeedTokenRevoke},
	About: "Revoke one of your tokens", Answer: "revoked",
}

var ListTokens = Op[PersonID, []core.Token]{
	Name: "listTokens", Needs: rights.TokensRead, Also: []string{rights.SelfRead, rights.PeopleRead}, Route: "GET /api/people/{id}/tokens",
	About: "List a person's tokens",
}

var CreateToken = Op[CreateTokenInput, MadeToken]{
	Name: "createToken", Needs: rights.TokensMake, Also: []string{rights.SelfRead, rights.PeopleRead, rights.SelfChange},
	Route: "POST /api/people/{id}/tokens", Status: 201, Deeds: []core.Deed{core.DeedTokenMake},
	About: "Create a token for a person; only this answer shows its secret", Answer: "the token",
}

var RevokeToken = Op[TokenID, RevokedToken]{
	Name: "revokeToken", Needs: rights.TokensRevoke, Also: []string{rights.SelfChange},
	Route: "DELETE /api/tokens/{id}", Deeds: []core.Deed{core.DeedTokenRevoke},
	About: "Revoke a token", Answer: "revoked",
}
