package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const someChannels = `[
	{"channel":"telegram","account":"main","agent":"nikki","state":"connected","detail":"as @errand_bot","owner":"host:1:ab","since":"2026-01-01T00:00:00Z"},
	{"channel":"whatsapp","account":"main","agent":"finn","state":"logged out","detail":"no phone","advice":"Scan the code.","link":"2@secret"}]`

func TestChannelsList(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/channels", 200, someChannels)
	got := f.Errand(t, "channels", "list")
	assert.Zero(t, got.Code)
	for _, want := range []string{"telegram/main", "as @errand_bot", "whatsapp/main", "logged out", "finn", "nobody", "no phone -> Scan the code."} {
		assert.Contains(t, got.Out, want)
	}
	assert.NotContains(t, got.Out, "2@secret")
	assert.JSONEq(t, someChannels, f.Errand(t, "channels", "list", "--json").Out)

	f = newFake(t)
	f.On("GET /api/channels", 200, `[]`)
	assert.Contains(t, f.Errand(t, "channels", "list").Out, "errand channels add telegram")
}

func TestDoctorLooksAtChannels(t *testing.T) {
	f := newFake(t)
	healthy(f, "", `{"version":"1"}`)
	f.On("GET /api/channels", 200, someChannels)
	got := f.Errand(t, "doctor")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Out, "ok   telegram/main connected: as @errand_bot")
	assert.Contains(t, got.Out, "BAD  whatsapp/main logged out: no phone")
	assert.Contains(t, got.Out, "-> Scan the code.")
}

func TestDoctorLooksAtDeliveries(t *testing.T) {
	for body, want := range map[string]string{
		`[]`:         "ok   deliveries    none refused",
		`[{"id":5}]`: "ok   deliveries    none refused",
		`[{"id":8,"route":{"channel":"telegram","account":"sub","chat":"42"},"state":"pending","error":"no worker has the account telegram/sub: it goes"}]`:                                                                           "BAD  telegram/sub  no worker has the account in its errand.yaml, and 1 deliveries wait for it",
		`[{"id":8,"route":{"channel":"telegram","account":"main"},"state":"pending","error":"too fast"}]`:                                                                                                                             "ok   deliveries    none refused",
		`[{"id":7,"route":{"channel":"telegram","account":"main","chat":"42"},"state":"blocked","session_key":"k","error":"the person has blocked the bot"},{"id":6,"state":"blocked","session_key":"k"},{"id":5,"state":"blocked"}]`: "BAD  deliveries    2 refused, the last on telegram 42: the person has blocked the bot",
	} {
		f := newFake(t)
		healthy(f, "", `{"version":"1"}`)
		f.On("GET /api/outbox", 200, body)
		assert.Contains(t, f.Errand(t, "doctor").Out, want)
		asked := f.Asked("GET", "/api/outbox")
		assert.Equal(t, "limit=1000&state=blocked&state=pending&state=unknown", asked[0].Query)
	}
}
