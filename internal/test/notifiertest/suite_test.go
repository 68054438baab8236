package notifiertest_test

import (
	"net/http/httptest"
	"testing"

	"errand/internal/test/notifiertest"
	"errand/notifiers"
)

func TestNotifier(t *testing.T) {
	for name, dedupe := range map[string]bool{"platform with keys": true, "platform without keys": false} {
		t.Run(name, func(t *testing.T) {
			notifiertest.Run(t, func(t *testing.T) (notifiers.Notifier, notifiertest.Judge) {
				p := notifiertest.NewPlatform(dedupe)
				server := httptest.NewServer(p)
				t.Cleanup(server.Close)
				return &notifiertest.Notifier{URL: server.URL, ReadBack: true}, p
			})
		})
	}
}
