package telemetry

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
)

// temporalLabels are the labels of Temporal's metrics that are kept. The others have the same value
// in every series.
var temporalLabels = [...]string{"namespace", "task_queue", "worker_type", "workflow_type", "activity_type",
	"operation", "poller_type", "failure_reason", "status_code", "cause"}

// temporalHelp is the help text of all metrics of Temporal's SDK.
const temporalHelp = "Of the Temporal SDK: https://docs.temporal.io/references/sdk-metrics"

// Temporal returns the metrics handler for Temporal's client. The metrics have the names that
// Temporal documents for Prometheus.
func (m *Metrics) Temporal() client.MetricsHandler {
	if m == nil || m.temporal == nil {
		return client.MetricsNopHandler
	}
	return &temporalHandler{all: m.temporal}
}

// A temporalHandler has the labels that the SDK has set so far. The SDK creates a handler for
// nearly every count.
type temporalHandler struct {
	all *temporalSeries
	key key
}

func (h *temporalHandler) WithTags(tags map[string]string) client.MetricsHandler {
	next := &temporalHandler{h.all, h.key}
	for i, label := range temporalLabels {
		if value, ok := tags[label]; ok {
			if value == "none" { // the SDK's value for a missing label
				value = ""
			}
			next.key[i] = value
		}
	}
	return next
}

func (h *temporalHandler) Counter(name string) client.MetricsCounter {
	return temporalCounter{h.all.counters.metric(name, newTemporalCounter).of(h.key)}
}

func (h *temporalHandler) Gauge(name string) client.MetricsGauge {
	return temporalGauge{h.all.gauges.metric(name, newTemporalGauge).of(h.key)}
}

func (h *temporalHandler) Timer(name string) client.MetricsTimer {
	return temporalTimer{h.all.timers.metric(name, newTemporalTimer).of(h.key)}
}

type temporalCounter struct{ prometheus.Counter }

func (c temporalCounter) Inc(n int64) { c.Add(float64(max(n, 0))) }

type temporalGauge struct{ prometheus.Gauge }

func (g temporalGauge) Update(v float64) { g.Set(v) }

type temporalTimer struct{ prometheus.Histogram }

func (t temporalTimer) Record(took time.Duration) { t.Observe(max(took, 0).Seconds()) }

func newTemporalCounter(name string) func([]string) prometheus.Counter {
	if !strings.HasSuffix(name, "_total") {
		name += "_total"
	}
	return func(values []string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: temporalHelp, ConstLabels: labelsOf(values)})
	}
}

func newTemporalGauge(name string) func([]string) prometheus.Gauge {
	return func(values []string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: temporalHelp, ConstLabels: labelsOf(values)})
	}
}

func newTemporalTimer(name string) func([]string) prometheus.Histogram {
	name += "_seconds"
	return func(values []string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: temporalHelp, ConstLabels: labelsOf(values), Buckets: fast})
	}
}

func labelsOf(values []string) prometheus.Labels {
	labels := prometheus.Labels{}
	for i, value := range values {
		if value != "" {
			labels[temporalLabels[i]] = value
		}
	}
	return labels
}

type temporalSeries struct {
	counters temporalMetrics[prometheus.Counter]
	gauges   temporalMetrics[prometheus.Gauge]
	timers   temporalMetrics[prometheus.Histogram]
}

func newTemporalSeries() *temporalSeries { return new(temporalSeries) }

// Describe sends nothing, because the SDK decides at run time which metrics exist.
func (s *temporalSeries) Describe(chan<- *prometheus.Desc) {}

// Collect sends all series.
func (s *temporalSeries) Collect(out chan<- prometheus.Metric) {
	s.counters.each(func(c prometheus.Counter) { out <- c })
	s.gauges.each(func(g prometheus.Gauge) { out <- g })
	s.timers.each(func(h prometheus.Histogram) { out <- h })
}

type temporalMetrics[T any] struct{ byName sync.Map }

func (m *temporalMetrics[T]) metric(name string, create func(name string) func([]string) T) *series[T] {
	if known, ok := m.byName.Load(name); ok {
		return known.(*series[T])
	}
	known, _ := m.byName.LoadOrStore(name, &series[T]{labels: len(temporalLabels), create: create(name)})
	return known.(*series[T])
}

func (m *temporalMetrics[T]) each(f func(T)) {
	m.byName.Range(func(_, known any) bool {
		known.(*series[T]).each(f)
		return true
	})
}
