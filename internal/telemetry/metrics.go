// Package telemetry is the record of what errand does: metrics for Prometheus, and a log of panics.
//
// Each process counts its own work from its start. The state of the whole installation is an
// [Installation]. Every worker reads it from the store, so a query must take the maximum over the
// workers, not the sum.
//
// Labels: each combination of label values is a series that Prometheus keeps for weeks. Values must
// therefore be enums or names from the configuration, never an id, a person or a text. As a last
// resort each metric is limited to [maxSeries] series.
package telemetry

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
)

// Metrics are the metrics of one process. The zero value counts nothing. They are safe for
// concurrent use.
type Metrics struct {
	Turns       *Timing  // kind, outcome; from the start of the first step to the reply
	Steps       *Timing  // kind, outcome
	ModelCalls  *Timing  // model, provider, outcome
	Tokens      *Counter // model, provider, kind; a token has one kind
	ToolCalls   *Timing  // tool, outcome
	Deliveries  *Timing  // channel, outcome; each attempt counts
	TasksEnded  *Counter // state
	Commands    *Counter // command
	HandOvers   *Counter // from, to, cause
	LateAnswers *Counter // kind

	registry *prometheus.Registry
	temporal *temporalSeries
}

// fast and slow are histogram buckets in seconds.
var (
	fast = []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}
	slow = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}
)

// New returns metrics with all counts at zero.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.Turns = m.timing("errand_turn_duration_seconds", "How long turns took, from the begin of their first step to the reply.", slow, "kind", "outcome")
	m.Steps = m.timing("errand_step_duration_seconds", "How long steps took: one model call between two transactions.", slow, "kind", "outcome")
	m.ModelCalls = m.timing("errand_model_call_duration_seconds", "How long calls of a model took, by the provider that was called.", slow, "model", "provider", "outcome")
	m.Tokens = m.counter("errand_model_tokens_total", "Tokens of calls of a model that were answered, by kind: input at its full price, input that was cached, input that was written to the cache, and output.", "model", "provider", "kind")
	m.ToolCalls = m.timing("errand_tool_call_duration_seconds", "How long calls of tools took.", slow, "tool", "outcome")
	m.Deliveries = m.timing("errand_delivery_duration_seconds", "How long attempts took to send a message on a platform.", fast, "channel", "outcome")
	m.TasksEnded = m.counter("errand_tasks_ended_total", "Tasks that ended, by the state they ended in.", "state")
	m.Commands = m.counter("errand_commands_total", "Commands that people typed.", "command")
	m.HandOvers = m.counter("errand_handovers_total", "Sessions that went over to another agent.", "from", "to", "cause")
	m.LateAnswers = m.counter("errand_late_answers_total", "Answers of agents of other systems that came after whoever waited for them had ended.", "kind")
	m.temporal = newTemporalSeries()
	m.registry.MustRegister(m.temporal,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "errand_build_info", Help: "Always 1; the label says which version runs.",
			ConstLabels: prometheus.Labels{"version": version}}, func() float64 { return 1 }),
	)
	return m
}

// Render writes the metrics and the state of the installation in the format that the Accept header
// requests. It does not compress, because package promhttp would add another compressor to the
// program.
func (m *Metrics) Render(w io.Writer, accept string, known Installation) (media string, err error) {
	families, err := m.gatherer(known).Gather()
	if err != nil {
		return "", fmt.Errorf("gather metrics: %w", err)
	}
	format := expfmt.Negotiate(http.Header{"Accept": {accept}})
	encoder := expfmt.NewEncoder(w, format)
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return "", fmt.Errorf("write metrics: %w", err)
		}
	}
	return string(format), nil
}

func (m *Metrics) gatherer(known Installation) prometheus.Gatherer {
	installation := prometheus.NewRegistry()
	installation.MustRegister(known)
	if m == nil || m.registry == nil {
		return installation
	}
	return prometheus.Gatherers{m.registry, installation}
}

func (m *Metrics) counter(name, help string, labels ...string) *Counter {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(vec)
	return &Counter{series[prometheus.Counter]{labels: len(labels), create: func(values []string) prometheus.Counter { return vec.WithLabelValues(values...) }}}
}

func (m *Metrics) timing(name, help string, bounds []float64, labels ...string) *Timing {
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
	m.registry.MustRegister(vec)
	return &Timing{series[prometheus.Observer]{labels: len(labels), create: func(values []string) prometheus.Observer { return vec.WithLabelValues(values...) }}}
}

// A Counter counts events by labels. A nil Counter counts nothing.
type Counter struct{ series series[prometheus.Counter] }

// Add counts an event. values are those of the labels, in order.
func (c *Counter) Add(values ...string) { c.AddMany(1, values...) }

// AddMany counts n events like [Counter.Add]. It ignores n ≤ 0.
func (c *Counter) AddMany(n int, values ...string) {
	if c != nil && n > 0 {
		c.series.of(keyOf(values)).Add(float64(n))
	}
}

// A Timing counts events and their durations by labels. A nil Timing counts nothing.
type Timing struct{ series series[prometheus.Observer] }

// Observe counts an event and its duration. values are those of the labels, in order.
func (t *Timing) Observe(took time.Duration, values ...string) {
	if t != nil {
		t.series.of(keyOf(values)).Observe(max(took, 0).Seconds()) // clocks of two workers may differ
	}
}
