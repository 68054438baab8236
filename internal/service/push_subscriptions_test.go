package service_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/service"
)

// TestPushToOwnHosts proves that who may not have programs called on the operator's hosts has
// no browser told there either.
func TestPushToOwnHosts(t *testing.T) {
	h := newHouse(t, nil)
	browser, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	for _, test := range []struct {
		role     core.Role
		endpoint string
		allowed  bool
	}{
		{core.Guest, "https://push.example.org/1", true},
		{core.Guest, "http://127.0.0.1:9/2", false},
		{core.Member, "http://127.0.0.1:9/3", true},
	} {
		var in api.SetPushSubscriptionInput
		in.Body.Endpoint, in.Body.P256DH, in.Body.Auth = test.endpoint, encode(browser.PublicKey().Bytes()), encode(make([]byte, 16))
		err := do(t.Context(), h, api.SetPushSubscription, as(test.role), in)
		var refused *service.Error
		if ok := err == nil; ok != test.allowed || !ok && !(errors.As(err, &refused) && refused.Kind == service.KindForbidden) {
			t.Errorf("%s at %s: %v", test.role, test.endpoint, err)
		}
	}
}
