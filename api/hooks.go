package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type ListHooksInput struct {
	Limit int `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
	After
	Person
}

var ListHooks = Op[ListHooksInput, List[core.Webhook]]{
	Name: "listHooks", Needs: rights.TasksRead, Also: []string{rights.OthersRead}, Route: "GET /api/hooks",
	About: "List webhooks that were sent or will be sent, newest first",
}

type TryHookInput struct {
	Body struct {
		URL string `json:"url" required:"true"`
	}
}

// A TriedHook is the result of a test webhook.
type TriedHook struct {
	ID     string `json:"id" description:"its webhook-id"`
	OK     bool   `json:"ok"`
	Status int    `json:"status,omitempty" description:"the status that the receiver answered, if it was not 2xx"`
	Reason string `json:"reason,omitempty"`
}

var TryHook = Op[TryHookInput, TriedHook]{
	Name: "tryHook", Needs: rights.TasksDelegate, Route: "POST /api/hooks/try", Rate: RateMessage, Deeds: []core.Deed{core.DeedWebhookSecret},
	About: "Send a signed webhook of type test to an address, once", Answer: "the result",
}

type HookSecretInput struct {
	Body struct {
		Renew bool `json:"renew" description:"true: create a new secret, which signs all later webhooks"`
	}
}

type HookSecret struct {
	Secret string `json:"secret"`
}

var GetHookSecret = Op[HookSecretInput, HookSecret]{
	Name: "getHookSecret", Needs: rights.SelfChange, Route: "POST /api/hooks/secret", Deeds: []core.Deed{core.DeedWebhookSecret},
	About: "Get the secret that signs your webhooks", Answer: "the secret",
}
