package client

import (
	"time"

	"errand"
)

// A Channel is an account of ours on a platform, as the API shows it.
type Channel struct {
	Channel string                 `json:"channel"`
	Account string                 `json:"account"`
	Agent   string                 `json:"agent"`
	State   errand.ConnectionState `json:"state"`
	Detail  string                 `json:"detail"`
	Advice  string                 `json:"advice"`
	Since   time.Time              `json:"since"`
	Owner   string                 `json:"owner"`
	Link    string                 `json:"link"`
}

func (ch Channel) Name() string { return ch.Channel + "/" + ch.Account }
