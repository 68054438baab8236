package app

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"errand/internal/temporal/wire"
)

// TestFairQueueNames proves that people take turns with their tasks and with what programs are
// told of them, and that docs/workers.md has a cluster do the same.
func TestFairQueueNames(t *testing.T) {
	if want := []string{wire.SubAgentQueue, wire.WebhookQueue}; !slices.Equal(fairQueues, want) {
		t.Errorf("people take turns on %v, want %v", fairQueues, want)
	}
	text, err := os.ReadFile("../../docs/workers.md")
	if err != nil {
		t.Fatal(err)
	}
	setting := regexp.MustCompile("(?s)matching\\.enableFairness:\n.*?```").Find(text)
	var documented []string
	for _, m := range regexp.MustCompile(`value: true\s+constraints: \{taskQueueName: (\S+)\}`).FindAllSubmatch(setting, -1) {
		documented = append(documented, string(m[1]))
	}
	if !slices.Equal(documented, fairQueues) {
		t.Errorf("docs/workers.md has %v, errand has %v", documented, fairQueues)
	}
}
