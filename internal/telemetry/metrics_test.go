package telemetry

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func all() (*Metrics, Installation) {
	m := New("1.2.3")
	m.Turns.Observe(time.Second, "message", "answered")
	m.Steps.Observe(time.Second, "message", "calls")
	m.ModelCalls.Observe(time.Second, "default", "openai", "answered")
	m.Tokens.AddMany(1200, "default", "openai", "cached")
	m.ToolCalls.Observe(time.Second, "remember", "ok")
	m.Deliveries.Observe(time.Second, "telegram", "sent")
	m.TasksEnded.Add("completed")
	m.Commands.Add("/tasks")
	m.HandOvers.Add("nikki", "finn", "model")
	m.LateAnswers.Add("result")
	worker := m.Temporal().WithTags(map[string]string{"namespace": "default", "client_name": "temporal_go", "worker_type": "none", "task_queue": "errand"})
	worker.WithTags(map[string]string{"operation": "StartWorkflowExecution"}).Counter("temporal_request").Inc(2)
	worker.Counter("temporal_local_activity_total").Inc(1)
	worker.Gauge("temporal_num_pollers").Update(4)
	worker.Timer("temporal_request_latency").Record(time.Millisecond)
	return m, Installation{
		Counts: &Counts{OpenTasks: map[string]int{"submitted": 1, "working": 2}, Inbox: 3, InboxOldest: time.Second,
			Outbox: map[string]int{"pending": 4, "blocked": 5}, OutboxOldest: time.Minute},
		Connections: []Connection{{"whatsapp", "main", "logged_out", []string{"connected", "logged_out"}}},
		Pools:       []Pool{{"write", 20, 3, 1, 7, time.Second}},
		Locks:       Locks{8, 2 * time.Second, 1},
		Events:      Events{Subscribers: 2, Sent: 3, Received: 4, Lost: 5, Unsent: 6},
		Hooks:       map[string]int64{"/telegram/main": 9},
	}
}

func scrape(m *Metrics, known Installation) string {
	var b strings.Builder
	if _, err := m.Render(&b, "", known); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestRender proves what Prometheus reads.
func TestRender(t *testing.T) {
	got := scrape(all())
	for _, want := range []string{
		`errand_build_info{version="1.2.3"} 1`,
		`errand_turn_duration_seconds_count{kind="message",outcome="answered"} 1`,
		`errand_step_duration_seconds_sum{kind="message",outcome="calls"} 1`,
		`errand_model_call_duration_seconds_bucket{model="default",outcome="answered",provider="openai",le="1"} 1`,
		`errand_model_tokens_total{kind="cached",model="default",provider="openai"} 1200`,
		`errand_tool_call_duration_seconds_count{outcome="ok",tool="remember"} 1`,
		`errand_delivery_duration_seconds_count{channel="telegram",outcome="sent"} 1`,
		`errand_tasks_ended_total{state="completed"} 1`,
		`errand_commands_total{command="/tasks"} 1`,
		`errand_late_answers_total{kind="result"} 1`,
		`errand_handovers_total{cause="model",from="nikki",to="finn"} 1`,
		`errand_tasks{state="working"} 2`, `errand_open_tasks 3`,
		`errand_inbox_messages 3`, `errand_inbox_oldest_age_seconds 1`,
		`errand_outbox_deliveries{state="blocked"} 5`, `errand_unsent_deliveries 9`, `errand_outbox_oldest_age_seconds 60`,
		`errand_connection_state{account="main",channel="whatsapp",state="logged_out"} 1`,
		`errand_connection_state{account="main",channel="whatsapp",state="connected"} 0`,
		`errand_store_pool_in_use_connections{pool="write"} 1`, `errand_store_pool_waits_total{pool="write"} 7`, `errand_store_pool_wait_seconds_total{pool="write"} 1`,
		`errand_store_lock_waits_total 8`, `errand_store_lock_wait_seconds_total 2`, `errand_store_lock_timeouts_total 1`,
		`errand_hook_refused_total{path="/telegram/main"} 9`,
		`errand_event_subscribers 2`, `errand_event_notifications_sent_total 3`, `errand_event_notifications_received_total 4`,
		`errand_event_dropped_total{reason="slow"} 5`, `errand_event_dropped_total{reason="unsent"} 6`,
		`temporal_request_total{namespace="default",operation="StartWorkflowExecution",task_queue="errand"} 2`,
		`temporal_local_activity_total{namespace="default",task_queue="errand"} 1`,
		`temporal_num_pollers{namespace="default",task_queue="errand"} 4`,
		`temporal_request_latency_seconds_count{namespace="default",task_queue="errand"} 1`,
		"go_goroutines ", "process_cpu_seconds_total ",
	} {
		if !strings.Contains(got, "\n"+want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	var none Metrics
	none.Turns.Observe(time.Second, "message", "answered")
	none.Commands.Add("/tasks")
	none.Temporal().Counter("temporal_request").Inc(1)
	if got := scrape(&none, Installation{}); strings.Contains(got, "tasks") || !strings.Contains(got, "errand_event_subscribers 0") {
		t.Errorf("of nothing is shown\n%s", got)
	}
}

// TestNames holds the names to Prometheus' conventions.
func TestNames(t *testing.T) {
	m, known := all()
	problems, err := testutil.GatherAndLint(m.gatherer(known))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

var row = regexp.MustCompile("(?m)^\\| `([a-z_*]+)(?:\\{([a-z, ]+)\\})?` \\|")

// TestDocumented proves that docs/metrics.md has every metric, with its labels, and
// no other.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, found := range row.FindAllStringSubmatch(string(text), -1) {
		documented[found[1]] = found[2]
	}
	m, known := all()
	families, err := m.gatherer(known).Gather()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, f := range families {
		name := f.GetName()
		var labels []string
		if prefix, _, _ := strings.Cut(name, "_"); prefix != "errand" {
			name = prefix + "_*"
		} else {
			for _, l := range f.GetMetric()[0].GetLabel() {
				labels = append(labels, l.GetName())
			}
		}
		there[name] = true
		is, ok := documented[name]
		if has := strings.Split(strings.ReplaceAll(is, " ", ""), ","); !ok || is != "" && !same(has, labels) || is == "" && len(labels) > 0 {
			t.Errorf("%s{%s} is documented as {%s} in docs/metrics.md (%v)", name, strings.Join(labels, ", "), is, ok)
		}
	}
	for name := range documented {
		if strings.HasPrefix(name, "errand_") && !there[name] {
			t.Errorf("docs/metrics.md has %s, which there is not", name)
		}
	}
}

func same(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestBounded proves that a metric has a bounded number of series whatever its labels
// are given, and that nothing is lost.
func TestBounded(t *testing.T) {
	m := New("")
	const n = 3 * maxSeries
	var all sync.WaitGroup
	for part := range 8 {
		all.Go(func() {
			for i := part; i < n; i += 8 {
				hostile := fmt.Sprintf("a\"b}\n\xff %d", i)
				m.ToolCalls.Observe(time.Second, strings.ToValidUTF8(hostile, ""), "ok")
				m.HandOvers.Add(fmt.Sprint(i), "x", "y")
				m.Temporal().WithTags(map[string]string{"workflow_type": fmt.Sprint(i), "person": "ada"}).Counter("temporal_request").Inc(1)
			}
		})
	}
	all.Wait()
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(""), "errand_none"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"errand_tool_call_duration_seconds", "errand_handovers_total", "temporal_request_total"} {
		if got, err := testutil.GatherAndCount(m.registry, name); err != nil || got != maxSeries+1 {
			t.Errorf("%s has %d series, %v", name, got, err)
		}
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		sum := 0.0
		for _, s := range f.GetMetric() {
			sum += s.GetCounter().GetValue()
			for _, l := range s.GetLabel() {
				if l.GetName() == "person" {
					t.Errorf("%s has a label of a person", f.GetName())
				}
			}
		}
		if name := f.GetName(); (name == "errand_handovers_total" || name == "temporal_request_total") && sum != n {
			t.Errorf("%s counted %v of %d", name, sum, n)
		}
	}
}

// TestTwoClocks proves that what seems to have ended before it began took no time.
func TestTwoClocks(t *testing.T) {
	m := New("")
	m.Turns.Observe(-time.Minute, "message", "answered")
	if got := scrape(m, Installation{}); !strings.Contains(got, `errand_turn_duration_seconds_sum{kind="message",outcome="answered"} 0`) {
		t.Error(got)
	}
}

// BenchmarkTurn measures what a plain turn counts of errand's own.
func BenchmarkTurn(b *testing.B) {
	m := New("")
	b.ReportAllocs()
	for b.Loop() {
		m.Turns.Observe(time.Second, "message", "answered")
		m.Steps.Observe(time.Second, "message", "answered")
		m.ModelCalls.Observe(time.Second, "default", "openai", "answered")
		m.Deliveries.Observe(time.Second, "telegram", "sent")
	}
}

// BenchmarkTemporal measures what the SDK counts for one call of the server.
func BenchmarkTemporal(b *testing.B) {
	worker := New("").Temporal().WithTags(map[string]string{"namespace": "default", "task_queue": "errand", "worker_type": "ActivityWorker"})
	b.ReportAllocs()
	for b.Loop() {
		call := worker.WithTags(map[string]string{"operation": "RespondActivityTaskCompleted"})
		call.Counter("temporal_request").Inc(1)
		call.Timer("temporal_request_latency").Record(time.Millisecond)
	}
}

var _ prometheus.Collector = Installation{}
