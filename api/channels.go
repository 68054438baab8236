package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// A Connection is an account of errand on a platform, and the state of its live connection.
type Connection struct {
	Channel string               `json:"channel"`
	Account string               `json:"account"`
	Agent   core.AgentName       `json:"agent" description:"that sessions on the account begin with"`
	State   core.ConnectionState `json:"state"`
	Detail  string               `json:"detail,omitempty" description:"the error, or the name of the connected account"`
	Advice  string               `json:"advice,omitempty" description:"what to do"`
	Since   time.Time            `json:"since,omitzero"`
	Owner   string               `json:"owner,omitempty" description:"the worker that holds the connection"` // empty: none does
	Link    string               `json:"link,omitempty" description:"the QR code for a phone, for master_admins only; keep it secret while it is valid"`
}

var ListChannels = Op[None, []Connection]{
	Name: "listChannels", Needs: rights.ChannelsRead, Route: "GET /api/channels",
	About: "List errand's accounts on platforms, and how they are connected", Answer: "the accounts, in the order of errand.yaml",
}

// An Account names an account of errand on a platform.
type Account struct {
	Channel string `path:"channel"`
	Account string `path:"account"`
}

var GetChannelQR = Op[Account, File]{
	Name: "getChannelQR", Needs: rights.ChannelsLink, Route: "GET /api/channels/{channel}/{account}/qr", Media: "image/png",
	About: "Get the QR code that links an account when a phone scans it", Answer: "the code",
}

type CreateChannelCodeInput struct {
	Account
	Body struct {
		Phone string `json:"phone" required:"true" description:"the number of the phone, with its country code"`
	}
}

// A ChannelCode links an account. It is a secret while it is valid.
type ChannelCode struct {
	Code string `json:"code"`
}

var CreateChannelCode = Op[CreateChannelCodeInput, ChannelCode]{
	Name: "createChannelCode", Needs: rights.ChannelsLink, Route: "POST /api/channels/{channel}/{account}/code", Rate: RateMessage,
	About:  "Create a code that links an account when it is typed into a phone",
	Answer: "the code; keep it secret while it is valid",
}
