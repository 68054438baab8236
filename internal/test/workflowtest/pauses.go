package workflowtest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/internal/temporal/wire"
)

// pauses are those between the attempts of activities that a server may be asked to cut
// short, which the environment cannot: they pass in here. The zero value has none.
type pauses struct {
	mu   sync.Mutex
	list []*pause
}

// A pause is an activity that is tried again and again.
type pause struct {
	workflow, activity string
	over               chan struct{} // closed to end it; nil: an attempt is being made
}

// isPaused reports whether the pauses of an activity pass in here.
func isPaused(info activity.Info) bool {
	return info.ActivityType.Name == wire.WatchPeerActivity
}

// begin notes an activity, until done is called.
func (l *pauses) begin(info activity.Info) (p *pause, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p = &pause{workflow: info.WorkflowExecution.ID, activity: info.ActivityType.Name}
	l.list = append(l.list, p)
	return p, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.list = slices.DeleteFunc(l.list, func(other *pause) bool { return other == p })
	}
}

// wait has a pause pass, or be cut short. It reports whether another attempt is to be made
// then.
func (t *temporalInTest) wait(ctx context.Context, p *pause, d time.Duration) bool {
	over := make(chan struct{})
	set := func(to chan struct{}) {
		t.pauses.mu.Lock()
		defer t.pauses.mu.Unlock()
		p.over = to
	}
	set(over)
	defer set(nil)
	select {
	case <-t.after(d):
	case <-over:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// reset ends the pause of an activity. It reports whether there is one.
func (l *pauses) reset(workflow, activity string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.list {
		if p.workflow == workflow && p.activity == activity {
			if p.over != nil {
				close(p.over)
				p.over = nil
			}
			return true
		}
	}
	return false
}

func (l *pauses) pending(workflow string) (list []*workflowpb.PendingActivityInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.list {
		if p.workflow != workflow {
			continue
		}
		state := enumspb.PENDING_ACTIVITY_STATE_STARTED
		if p.over != nil {
			state = enumspb.PENDING_ACTIVITY_STATE_SCHEDULED
		}
		list = append(list, &workflowpb.PendingActivityInfo{ActivityType: &commonpb.ActivityType{Name: p.activity}, State: state})
	}
	return list
}

// pauseAfter is how long is waited after an attempt that failed, by what it says itself.
func pauseAfter(err error) (time.Duration, bool) {
	var failed *temporal.ApplicationError
	if errors.As(err, &failed) && failed.NextRetryDelay() > 0 {
		return failed.NextRetryDelay(), true
	}
	return 0, false
}
