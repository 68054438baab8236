package service_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"testing"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/store/storetest"
	"errand/internal/webpush"
)

// TestPushToOwnHosts proves that who may not have programs called on the operator's hosts has
// no browser told there either.
func TestPushToOwnHosts(t *testing.T) {
	key, err := webpush.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	sender, err := webpush.New(webpush.Options{Key: key, Allow: []string{"127.0.0.1:9"}})
	if err != nil {
		t.Fatal(err)
	}
	h := newHouseOn(t, store.Options{SQLite: storetest.File(t)}, func(deps *service.Deps) { deps.Browsers = sender })
	browser, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	for _, test := range []struct {
		role     errand.Role
		endpoint string
		allowed  bool
	}{
		{errand.Guest, "https://push.example.org/1", true},
		{errand.Guest, "http://127.0.0.1:9/2", false},
		{errand.Member, "http://127.0.0.1:9/3", true},
	} {
		_, err := h.SetPushSubscription(t.Context(), as(test.role), service.PushSubscription{
			Endpoint: test.endpoint, P256DH: encode(browser.PublicKey().Bytes()), Auth: encode(make([]byte, 16)),
		}, service.PushRenewal{})
		var refused *service.Error
		if ok := err == nil; ok != test.allowed || !ok && !(errors.As(err, &refused) && refused.Kind == service.KindForbidden) {
			t.Errorf("%s at %s: %v", test.role, test.endpoint, err)
		}
	}
}
