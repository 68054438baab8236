package web

import (
	"net/http"
	"strings"

	"errand/internal/service"
)

type pushOut struct {
	Key           string                     `json:"key" description:"applicationServerKey, in base64url: what a browser subscribes with"`
	Subscriptions []service.PushSubscription `json:"subscriptions" description:"the oldest first"`
}

func (s *Server) getPush(r *http.Request, _ nothing) (out pushOut, err error) {
	if out.Key, err = s.Backend.PushKey(actor(r)); err != nil {
		return out, err
	}
	out.Subscriptions, err = s.Backend.PushSubscriptions(r.Context(), actor(r))
	return out, err
}

type pushIn struct {
	Body struct {
		Endpoint string `json:"endpoint" description:"of a PushSubscription: an address of the public internet, by https"`
		P256DH   string `json:"p256dh" description:"its key, in base64url"`
		Auth     string `json:"auth" description:"its secret, in base64url"`
		Words    *bool  `json:"words" description:"tell what a result says; otherwise only that it is there. Left out: as before, and of a new browser no"`
		Replaces string `json:"replaces" description:"endpoint of a subscription of yours that is over, which this one takes the place of"`
	}
}

func (s *Server) putPush(r *http.Request, in pushIn) (service.PushSubscription, error) {
	return s.Backend.SetPushSubscription(r.Context(), actor(r), service.PushSubscription{
		Endpoint: in.Body.Endpoint, P256DH: in.Body.P256DH, Auth: in.Body.Auth,
		Label: strings.Trim(browserName(r)+", "+deviceName(r), ", ")}, service.PushRenewal{Words: in.Body.Words, Replaces: in.Body.Replaces})
}

type pushIDIn struct {
	ID string `path:"id" id:"push subscription" description:"id of the subscription"`
}

type pushIDOut struct {
	ID string `json:"id"`
}

func (s *Server) deletePush(r *http.Request, in pushIDIn) (pushIDOut, error) {
	return pushIDOut(in), s.Backend.DeletePushSubscription(r.Context(), actor(r), in.ID)
}
