package app_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"errand/internal/config"
	"errand/internal/core"
)

// TestMetrics proves that a whole installation shows what it has done, and Temporal's own
// numbers, and that no chat, task, session or word is a label of that.
func TestMetrics(t *testing.T) {
	const token = "a-token-of-the-owner-for-the-monitor"
	in := install(t, nil, nil, func(cfg *config.Config) { cfg.Token = token })
	key := in.send("chat-of-somebody", "ask Sasha to look for hostile-words")
	in.until(key, replies(1))
	in.send("chat-of-somebody", "/nothing of hostile-words")
	var got string
	has := func(want string) bool {
		return regexp.MustCompile(`(?m)^` + want).MatchString(got)
	}
	want := []string{
		`errand_turn_duration_seconds_count\{kind="message",outcome="answered"\} 1`,
		`errand_turn_duration_seconds_count\{kind="task",outcome="answered"\} 1`,
		`errand_step_duration_seconds_count\{kind="message",outcome="calls"\} 1`,
		`errand_model_call_duration_seconds_count\{model="default",outcome="answered",provider="[^"]*"\} [3-9]`,
		`errand_tasks_ended_total\{state="completed"\} 1`,
		`errand_commands_total\{command="unknown"\} 1`,
		`errand_inbox_messages \d`, `errand_tasks\{state="working"\} \d`, `errand_store_pool_open_connections\{pool="write"\} [1-9]`,
		`temporal_request_total\{.*operation="RespondWorkflowTaskCompleted".*\} [1-9]`,
		`temporal_activity_execution_latency_seconds_count\{activity_type="Think",.*\} [1-9]`,
	}
	eventually(t, "everything to be counted", func() bool {
		got = scrape(t, in.Address, token)
		for _, w := range want {
			if !has(w) {
				return false
			}
		}
		return true
	})
	for _, secret := range append([]string{"hostile", "chat-of-somebody", string(key), "nothing", token, in.Store.ID()}, idsOf(in.tasks("chat-of-somebody"))...) {
		if strings.Contains(got, secret) {
			t.Errorf("the metrics have %q:\n%s", secret, got)
		}
	}
	t.Logf("%d lines", strings.Count(got, "\n"))
}

func idsOf(tasks []core.Task) (ids []string) {
	for _, task := range tasks {
		ids = append(ids, string(task.ID), string(task.Origin.Session))
	}
	return ids
}

func scrape(t *testing.T, address, token string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s/metrics", address), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s, %v", resp.Status, text, err)
	}
	return string(text)
}
