//go:build !nodevserver

package devserver

import (
	"time"

	"go.temporal.io/server/common/dynamicconfig"
)

// maxPollRPS limits how often a history queue polls for new tasks. The default of 20 a second
// delays every step of a workflow by up to 50 ms. An idle queue does not poll.
const maxPollRPS = 2000

const noteQueuesEvery = 5 * time.Second

// pendingTasks limits the loaded tasks of a history queue. Above the defaults of 9,000 and 10,000,
// a queue discards the loaded tasks and reloads them slowly, so that ten thousand of errand's tasks
// would come to a standstill. A loaded task takes less than a kilobyte.
const pendingTasks = 200_000

const queueWorkers = 32

// loadedWorkflows is how many workflows the server caches, at about 40 kB each. Others are read
// from the file in a fraction of a millisecond. All workflows with requests in progress must fit,
// or some requests are refused and retried. A limit in bytes would be better, but the server
// computes the size of a workflow after it has unlocked it, when it may change.
const loadedWorkflows = 512

// tuning replaces defaults for a large cluster by settings for one process with one user.
func tuning(o Options) dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		// Latency: see maxPollRPS.
		dynamicconfig.TransferProcessorMaxPollRPS.Key():   maxPollRPS,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():      maxPollRPS,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): maxPollRPS,
		dynamicconfig.OutboundProcessorMaxPollRPS.Key():   maxPollRPS,
		// The maximum delay of a timer or retry; the default is a second. Timers within it are read
		// together. Most are timeouts of finished work. Reading each alone would be a fifth of the
		// cost of a plain turn.
		dynamicconfig.TimerProcessorMaxTimeShift.Key(): 50 * time.Millisecond,
		// A wait for a workflow's result sometimes misses its notification. Then it returns only
		// when the server ends the wait; the default is 20 s.
		dynamicconfig.HistoryLongPollExpirationInterval.Key(): 5 * time.Second,
		// One partition for each task queue, so that no task is forwarded between partitions.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  o.Partitions,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): o.Partitions,
		dynamicconfig.MatchingEnableFairness.Key():              fairness(o.FairQueues),

		// A worker that stops leaves no open poll in which the next task could be lost.
		dynamicconfig.EnableCancelWorkerPollsOnShutdown.Key(): true,

		// The limits of a shared cluster would turn a burst into retries. The one SQLite connection
		// is the real limit.
		dynamicconfig.FrontendRPS.Key():                                  20000,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           20000,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 200,
		dynamicconfig.HistoryRPS.Key():                                   20000,
		dynamicconfig.MatchingRPS.Key():                                  20000,

		// A history is deleted only after the queues have recorded that its workflow is done; the
		// default is 30 s.
		dynamicconfig.TransferProcessorUpdateAckInterval.Key():   noteQueuesEvery,
		dynamicconfig.VisibilityProcessorUpdateAckInterval.Key(): noteQueuesEvery,
		// The same for the deletion of its timers, for which the file is searched from the oldest.
		dynamicconfig.TimerProcessorUpdateAckInterval.Key(): noteQueuesEvery,
		dynamicconfig.QueuePendingTaskCriticalCount.Key():   pendingTasks,
		dynamicconfig.QueuePendingTaskMaxCount.Key():        pendingTasks + pendingTasks/10,

		// Each worker is a goroutine. With the default of 512, each stack grows again when a
		// statement runs on it after a garbage collection. The file takes only one statement at a
		// time.
		dynamicconfig.TransferProcessorSchedulerWorkerCount.Key():   queueWorkers,
		dynamicconfig.TimerProcessorSchedulerWorkerCount.Key():      queueWorkers,
		dynamicconfig.VisibilityProcessorSchedulerWorkerCount.Key(): queueWorkers,

		// A burst waits for the file instead of failing; the default is 5 s.
		dynamicconfig.ShardIOTimeout.Key(): 30 * time.Second,

		// The server asks version-info.temporal.io for updates every day. errand sends no telemetry.
		dynamicconfig.EnableServerVersionCheck.Key(): false,

		// Less idle work and less memory. The scanners look for leftovers of failures between
		// several databases, which cannot happen with one file.
		dynamicconfig.TaskQueueScannerEnabled.Key():       false,
		dynamicconfig.HistoryScannerEnabled.Key():         false,
		dynamicconfig.EnableParentClosePolicyWorker.Key(): false, // done inline
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():  loadedWorkflows,
		// No replication to other clusters: the defaults are 640 goroutines and 8 MB of cached
		// data.
		dynamicconfig.ReplicationProcessorSchedulerWorkerCount.Key():            1,
		dynamicconfig.ReplicationLowPriorityProcessorSchedulerWorkerCount.Key(): 1,
		dynamicconfig.XDCCacheMaxSizeBytes.Key():                                64 << 10,
	}
}

// fairness enables fairness keys on some task queues. Matching keeps their tasks in another table;
// after a change of this setting it first empties the old table.
func fairness(queues []string) []dynamicconfig.ConstrainedValue {
	values := make([]dynamicconfig.ConstrainedValue, len(queues))
	for i, q := range queues {
		values[i] = dynamicconfig.ConstrainedValue{Constraints: dynamicconfig.Constraints{TaskQueueName: q}, Value: true}
	}
	return values
}
