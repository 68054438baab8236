package activities

import (
	"testing"

	"errand/internal/core"
	"errand/notifiers"
)

// TestOnlyAnswersAskedElsewhereAreRead proves that of a late result which was asked for where
// it is told nothing is read before it is noted as sent: that is nearly every one.
func TestOnlyAnswersAskedElsewhereAreRead(t *testing.T) {
	noStore := &Sender{}
	n := core.Notification{Event: core.EventLate, Task: "t-22222222", Route: core.Route{Channel: "test", Account: "main", Chat: "7"}}
	if err := noStore.announceAnswer(t.Context(), n, notifiers.Receipt{IDs: []string{"1"}}); err != nil {
		t.Error(err)
	}
}
