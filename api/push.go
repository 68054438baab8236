package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// A Push has what a page needs to subscribe to push notifications.
type Push struct {
	Key           string                  `json:"key" description:"the applicationServerKey for subscribing, in base64url"`
	Subscriptions []core.PushSubscription `json:"subscriptions" description:"the oldest first"`
}

var GetPush = Op[None, Push]{
	Name: "getPush", Needs: rights.SelfRead, Route: "GET /api/me/push",
	About: "List your browsers that get push notifications while no page is open, and the key to subscribe with",
}

type SetPushSubscriptionInput struct {
	Body struct {
		Endpoint string `json:"endpoint" description:"the endpoint of the PushSubscription: a public https address"`
		P256DH   string `json:"p256dh" description:"its key, in base64url"`
		Auth     string `json:"auth" description:"its secret, in base64url"`
		Words    *bool  `json:"words" description:"true: notifications contain the results; false: they only say that there is one. Omitted: unchanged, for a new browser false"`
		Replaces string `json:"replaces" description:"endpoint of one of your ended subscriptions that this one replaces"`
	}
	Label string `wire:"-"` // of the browser
}

var SetPushSubscription = Op[SetPushSubscriptionInput, core.PushSubscription]{
	Name: "setPushSubscription", Needs: rights.SelfChange, Also: []string{rights.TasksDelegate}, Route: "PUT /api/me/push", Rate: RateMessage,
	About: "Subscribe a browser to push notifications; the same endpoint is the same browser", Answer: "the subscription",
}

type PushSubscriptionID struct {
	ID string `path:"id" id:"push subscription" description:"id of the subscription"`
}

// A DeletedPushSubscription names a subscription that was deleted.
type DeletedPushSubscription struct {
	ID string `json:"id"`
}

var DeletePushSubscription = Op[PushSubscriptionID, DeletedPushSubscription]{
	Name: "deletePushSubscription", Needs: rights.SelfChange, Route: "DELETE /api/me/push/{id}",
	About: "Unsubscribe a browser from push notifications", Answer: "deleted",
}
