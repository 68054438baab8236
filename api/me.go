package api

import (
	"net/http"
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// A Me describes the caller, and the routes that they may use.
type Me struct {
	Agents []core.AgentName `json:"agents" description:"agents that you may use, sorted"`

	// ApprovesNothing explains why the person cannot approve anything with this login.
	ApprovesNothing string `json:"approves_nothing,omitempty" description:"why this login cannot approve although the role may"`

	ID       core.PersonID `json:"id"`
	Language string        `json:"language"`
	Login    string        `json:"login" enum:"token,cookie" description:"what says so"`
	May      []string      `json:"may"`
	Name     string        `json:"name"`
	Role     core.Role     `json:"role"`
	RoleName string        `json:"role_name" description:"what this installation calls the role"`
	TimeZone string        `json:"time_zone,omitempty" description:"IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's"`
	Today    DayBudget     `json:"today"`
	Requests int           `json:"requests,omitempty" description:"number of requests for access that you may approve"`
	Waiting  int           `json:"waiting" description:"number of open questions that you may answer, at most 100"`
}

// A DayBudget is a person's usage since midnight UTC and their daily limits. A limit of 0 means no limit.
type DayBudget struct {
	Calls     int     `json:"calls" description:"model calls"`
	Tokens    int     `json:"tokens"`
	Cost      float64 `json:"cost" description:"US dollars, of the models whose price is known"`
	MaxCalls  int     `json:"max_calls,omitempty"`
	MaxTokens int     `json:"max_tokens,omitempty"`
	MaxCost   float64 `json:"max_cost,omitempty"`
}

type GetMeInput struct {
	Login string `wire:"-"` // what identifies the caller: token or cookie
}

var GetMe = Op[GetMeInput, Me]{
	Name: "getMe", Needs: rights.SelfRead, Route: "GET /api/me",
	About: "Get yourself, and the routes that you may use",
}

type ChangeMeInput struct {
	Body struct{ PersonChange }
}

// A ChangedMe names the person who was changed.
type ChangedMe struct {
	ID core.PersonID `json:"id"`
}

var ChangeMe = Op[ChangeMeInput, ChangedMe]{
	Name: "changeMe", Needs: rights.SelfChange, Route: "POST /api/me", Deeds: []core.Deed{core.DeedPersonChange},
	About: "Change your own name, language or time zone; omitted fields stay unchanged", Answer: "changed",
}

type CreateLoginLinkInput struct {
	Addresses []string `wire:"-"` // of errand for other machines
	PublicURL string   `wire:"-"`
}

// A LoginLink logs in the browser that opens it, once.
type LoginLink struct {
	Addresses []string  `json:"addresses,omitempty"` // at which other machines reach errand
	Expires   time.Time `json:"expires"`
	Path      string    `json:"path"`
	PublicURL string    `json:"public_url"`
}

var CreateLoginLink = Op[CreateLoginLinkInput, LoginLink]{
	Name: "createLoginLink", Needs: rights.LinksMake, Route: "POST /api/me/link", Status: http.StatusCreated, Rate: RateMessage,
	Deeds: []core.Deed{core.DeedTokenMake}, About: "Create a one-time link that logs a browser in as you",
	Answer: "the link; open its path at the address of this server, or at public_url if it is set",
}
