//go:build !nodevserver

package devserver

import (
	"time"

	"go.temporal.io/server/common/dynamicconfig"
)

// maxPollRPS is how often a history queue may look for new tasks. The default of
// 20 a second delays every step of a workflow by up to 50 ms. It is a bound and
// not a rate: an idle queue waits to be notified.
const maxPollRPS = 2000

const noteQueuesEvery = 5 * time.Second

// pendingTasks is how many tasks of a history queue may be at work at once. Above
// the defaults of 9,000 and 10,000 a queue throws out what it has loaded, and loads it
// again later and slowly: ten thousand tasks of ours then come to a standstill. A
// loaded task takes less than a kilobyte.
const pendingTasks = 200_000

// queueWorkers is how many tasks of a history queue are carried out at once.
const queueWorkers = 32

// loadedWorkflows is how many workflows the server keeps in memory. One that is not
// there is read from the file, which takes a fraction of a millisecond; one that is takes
// some 40 kB. All whose requests are under way at once have to find room, or some are
// refused and tried again. A limit in bytes would be the better one, but the server
// computes the size of a workflow that it has just unlocked, and somebody else may
// be changing it.
const loadedWorkflows = 512

// tuning is the server's dynamic configuration: its defaults suit a cluster of
// many machines, ours suit one process with one user.
func tuning(o Options) dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		// Latency: see maxPollRPS.
		dynamicconfig.TransferProcessorMaxPollRPS.Key():   maxPollRPS,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():      maxPollRPS,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): maxPollRPS,
		dynamicconfig.OutboundProcessorMaxPollRPS.Key():   maxPollRPS,
		// A timer or retry may come this much late; the default is a second. Those that
		// come so close are read together: most are time-outs of what is long done, a
		// fifth of what a plain turn costs if each is read alone.
		dynamicconfig.TimerProcessorMaxTimeShift.Key(): 50 * time.Millisecond,
		// A wait for a workflow's result now and then misses its notification and
		// returns only when the server ends the wait; the default is 20 s.
		dynamicconfig.HistoryLongPollExpirationInterval.Key(): 5 * time.Second,
		// A task queue in one part: nothing is forwarded from part to part.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  o.Partitions,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): o.Partitions,
		dynamicconfig.MatchingEnableFairness.Key():              fairness(o.FairQueues),

		// Cancelling an activity reaches its worker at once and not with its
		// next heartbeat: the first makes workers listen, the second tells them.
		dynamicconfig.WorkerCommandsEnabled.Key():             true,
		dynamicconfig.EnableCancelActivityWorkerCommand.Key(): true,
		// A worker that stops leaves no poll behind for the next task to be lost in.
		dynamicconfig.EnableCancelWorkerPollsOnShutdown.Key(): true,

		// Limits that protect a shared cluster would only turn a burst of our
		// own into retries; the one SQLite connection is the real bound.
		dynamicconfig.FrontendRPS.Key():                                  20000,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           20000,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 200,
		dynamicconfig.HistoryRPS.Key():                                   20000,
		dynamicconfig.MatchingRPS.Key():                                  20000,

		// A history is deleted only after the queues have noted that they are done
		// with its workflow; the default is 30 s.
		dynamicconfig.TransferProcessorUpdateAckInterval.Key():   noteQueuesEvery,
		dynamicconfig.VisibilityProcessorUpdateAckInterval.Key(): noteQueuesEvery,
		// So are its timers deleted, which the file is searched through from the oldest.
		dynamicconfig.TimerProcessorUpdateAckInterval.Key(): noteQueuesEvery,
		dynamicconfig.QueuePendingTaskCriticalCount.Key():   pendingTasks,
		dynamicconfig.QueuePendingTaskMaxCount.Key():        pendingTasks + pendingTasks/10,

		// Each of these is a goroutine, and 512 of them a stack that has to grow anew
		// whenever a statement is run on it after a garbage collection: the file takes
		// one statement at a time.
		dynamicconfig.TransferProcessorSchedulerWorkerCount.Key():   queueWorkers,
		dynamicconfig.TimerProcessorSchedulerWorkerCount.Key():      queueWorkers,
		dynamicconfig.VisibilityProcessorSchedulerWorkerCount.Key(): queueWorkers,

		// A burst waits for the file instead of failing; the default is 5 s.
		dynamicconfig.ShardIOTimeout.Key(): 30 * time.Second,

		// Less work at rest and less memory. The scanners look for leftovers of
		// failures between several databases, which one file cannot have.
		dynamicconfig.TaskQueueScannerEnabled.Key():       false,
		dynamicconfig.HistoryScannerEnabled.Key():         false,
		dynamicconfig.EnableParentClosePolicyWorker.Key(): false, // done inline
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():  loadedWorkflows,
		// Nothing is copied to another cluster: the default is 640 goroutines, and 8 MB of
		// what has been written, which only those read.
		dynamicconfig.ReplicationProcessorSchedulerWorkerCount.Key():            1,
		dynamicconfig.ReplicationLowPriorityProcessorSchedulerWorkerCount.Key(): 1,
		dynamicconfig.XDCCacheMaxSizeBytes.Key():                                64 << 10,
	}
}

// fairness enables fairness keys on some task queues. Matching keeps the tasks of
// these in a table of its own, and gives out first what it finds in the other one,
// whichever way this is changed.
func fairness(queues []string) []dynamicconfig.ConstrainedValue {
	values := make([]dynamicconfig.ConstrainedValue, len(queues))
	for i, q := range queues {
		values[i] = dynamicconfig.ConstrainedValue{Constraints: dynamicconfig.Constraints{TaskQueueName: q}, Value: true}
	}
	return values
}
