package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// An Installation is the current state of the whole installation, and of one worker's store and
// hooks. Values that could not be read are zero.
type Installation struct {
	Counts      *Counts
	Connections []Connection
	Pools       []Pool
	Locks       Locks
	Events      Events
	Hooks       map[string]int64 // rejected calls by path
}

// Counts are read from the store at intervals.
type Counts struct {
	OpenTasks    map[string]int // by state
	Inbox        int            // messages that no turn has handled
	InboxOldest  time.Duration  // age of the oldest
	Outbox       map[string]int // unfinished deliveries by state
	OutboxOldest time.Duration  // age of the oldest that is being retried
}

// A Connection is the state of an account's connection.
type Connection struct {
	Channel, Account string
	State            string
	States           []string // all possible states
}

// A Pool is a pool of database connections.
type Pool struct {
	Name            string
	Max, Open, Used int
	Waits           int64 // transactions that waited for a connection
	Waited          time.Duration
}

// Locks are the locks of conversations. On PostgreSQL each writing transaction holds one.
type Locks struct {
	Waits    int64 // transactions that waited
	Waited   time.Duration
	TimedOut int64 // transactions that the database ended or that stopped waiting
}

// Events are the counts of this worker's event bus, which informs open pages and waiting requests.
type Events struct {
	Subscribers    int
	Sent, Received uint64 // to and from other workers
	Lost           uint64 // events that a subscriber did not receive in time
	Unsent         uint64 // batches that could not be sent
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	tasksOpen     = describe("errand_tasks", "Tasks that have not ended, by state.", "state")
	openTasks     = describe("errand_open_tasks", "All tasks that have not ended.")
	inboxMessages = describe("errand_inbox_messages", "Messages that no turn has taken yet.")
	inboxOldest   = describe("errand_inbox_oldest_age_seconds", "For how long the oldest message has waited that no turn has taken.")
	outboxRows    = describe("errand_outbox_deliveries", "Deliveries that are not made, by state.", "state")
	unsent        = describe("errand_unsent_deliveries", "All deliveries that are not made.")
	outboxOldest  = describe("errand_outbox_oldest_age_seconds", "For how long the oldest delivery has waited that is still tried.")
	connection    = describe("errand_connection_state", "1 for the state that the connection of an account is in.", "channel", "account", "state")
	poolMax       = describe("errand_store_pool_max_connections", "How many connections to the database a pool may have.", "pool")
	poolOpen      = describe("errand_store_pool_open_connections", "How many connections to the database a pool has.", "pool")
	poolUsed      = describe("errand_store_pool_in_use_connections", "How many connections of a pool are at work.", "pool")
	poolWaits     = describe("errand_store_pool_waits_total", "How often somebody had to wait for a connection of a pool.", "pool")
	poolWaited    = describe("errand_store_pool_wait_seconds_total", "For how long, in all, connections of a pool were waited for.", "pool")
	lockWaits     = describe("errand_store_lock_waits_total", "How often a transaction had to wait for another of its conversation.")
	lockWaited    = describe("errand_store_lock_wait_seconds_total", "For how long, in all, transactions waited for others of their conversation.")
	lockTimeouts  = describe("errand_store_lock_timeouts_total", "Transactions that were given up because the database was locked for too long.")
	subscribers   = describe("errand_event_subscribers", "Open pages, waiting requests and others that hear of events on this worker.")
	eventsSent    = describe("errand_event_notifications_sent_total", "Messages about events that this worker has sent to others.")
	eventsHeard   = describe("errand_event_notifications_received_total", "Messages about events that this worker has received from others.")
	eventsDropped = describe("errand_event_dropped_total", "Events that a subscriber did not take in time (slow), and batches of messages that could not be sent to other workers (unsent). What lasts is read from the log instead.", "reason")
	hookRefused   = describe("errand_hook_refused_total", "Calls of platforms that were refused.", "path")
)

// Describe sends all descriptions, so that no other metric takes their names.
func (i Installation) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{tasksOpen, openTasks, inboxMessages, inboxOldest, outboxRows, unsent, outboxOldest, connection,
		poolMax, poolOpen, poolUsed, poolWaits, poolWaited, lockWaits, lockWaited, lockTimeouts, subscribers, eventsSent, eventsHeard, eventsDropped, hookRefused} {
		out <- d
	}
}

// Collect sends the values that are known.
func (i Installation) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	sum := func(each, all *prometheus.Desc, by map[string]int) {
		n := 0
		for state, m := range by {
			gauge(each, float64(m), state)
			n += m
		}
		gauge(all, float64(n))
	}
	if c := i.Counts; c != nil {
		sum(tasksOpen, openTasks, c.OpenTasks)
		sum(outboxRows, unsent, c.Outbox)
		gauge(inboxMessages, float64(c.Inbox))
		gauge(inboxOldest, c.InboxOldest.Seconds())
		gauge(outboxOldest, c.OutboxOldest.Seconds())
	}
	for _, c := range i.Connections {
		for _, state := range c.States {
			is := 0.0
			if c.State == state {
				is = 1
			}
			gauge(connection, is, c.Channel, c.Account, state)
		}
	}
	for _, p := range i.Pools {
		gauge(poolMax, float64(p.Max), p.Name)
		gauge(poolOpen, float64(p.Open), p.Name)
		gauge(poolUsed, float64(p.Used), p.Name)
		count(poolWaits, float64(p.Waits), p.Name)
		count(poolWaited, p.Waited.Seconds(), p.Name)
	}
	count(lockWaits, float64(i.Locks.Waits))
	count(lockWaited, i.Locks.Waited.Seconds())
	count(lockTimeouts, float64(i.Locks.TimedOut))
	gauge(subscribers, float64(i.Events.Subscribers))
	count(eventsSent, float64(i.Events.Sent))
	count(eventsHeard, float64(i.Events.Received))
	count(eventsDropped, float64(i.Events.Lost), "slow")
	count(eventsDropped, float64(i.Events.Unsent), "unsent")
	for path, n := range i.Hooks {
		count(hookRefused, float64(n), path)
	}
}
