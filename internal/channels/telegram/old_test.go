package telegram_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"errand/internal/channels/telegram"
	"errand/internal/service"
)

// TestTooOld proves that whoever presses a button of a message that Telegram has
// forgotten is told to write, in the own language.
func TestTooOld(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.tune = func(o *telegram.Options) {
		o.Webhook = &telegram.Webhook{URL: "https://errand.example.org", Secret: "the-secret"}
		o.TooOld = map[string]string{"": "too old", "es": "demasiado antiguo", "pt-BR": "antigo demais"}
	}
	c := r.new()
	for i, tt := range []struct{ language, want string }{
		{"", "too old"}, {"fr", "too old"}, {"es", "demasiado antiguo"}, {"es-AR", "demasiado antiguo"}, {"pt-BR", "antigo demais"}, {"pt", "too old"},
	} {
		press := fmt.Sprintf("press%d", i)
		req := httptest.NewRequest("POST", "/", strings.NewReader(fmt.Sprintf(`{"update_id": %d, "callback_query": {"id": %q, "data": "1",
			"from": {"id": 9, "first_name": "Eve", "language_code": %q}, "chat_instance": "1"}}`, i+1, press, tt.language)))
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", "the-secret")
		c.ServeHTTP(httptest.NewRecorder(), req)
		if got, _ := r.server.Answered(press); got != tt.want {
			t.Errorf("%q is told %q, want %q", tt.language, got, tt.want)
		}
	}
	if came := r.gate.Arrivals(); len(came) != 0 {
		t.Errorf("came: %+v", came)
	}
}
