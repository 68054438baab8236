package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// A Push has what a page needs to subscribe to push notifications.
type Push struct {
	Key           string                  `json:"key" description:"applicationServerKey, in base64url: what a browser subscribes with"`
	Subscriptions []core.PushSubscription `json:"subscriptions" description:"the oldest first"`
}

var GetPush = Op[None, Push]{
	Name: "getPush", Needs: rights.SelfRead, Route: "GET /api/me/push",
	About: "List your browsers that get push notifications while no page is open, and the key to subscribe with",
}

type SetPushSubscriptionInput struct {
	Body struct {
		Endpoint string `json:"endpoint" description:"of a PushSubscription: an address of the public internet, by https"`
		P256DH   string `json:"p256dh" description:"its key, in base64url"`
		Auth     string `json:"auth" description:"its secret, in base64url"`
		Words    *bool  `json:"words" description:"tell what a result says; otherwise only that it is there. Left out: as before, and of a new browser no"`
		Replaces string `json:"replaces" description:"endpoint of a subscription of yours that is over, which this one takes the place of"`
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
