package dispatch_test

import (
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"

	"errand/internal/temporal/dispatch"
	"errand/internal/test/dispatchtest"
)

// TestReleaseActivities proves which attempts of a dead worker are released: those that it has, also
// if they are to be canceled, and not one that began while it was looked up.
func TestReleaseActivities(t *testing.T) {
	attempt := func(state enumspb.PendingActivityState, number int32, worker string) []*workflowpb.PendingActivityInfo {
		return []*workflowpb.PendingActivityInfo{{ActivityId: "5", State: state, Attempt: number, LastWorkerIdentity: worker}}
	}
	started := enumspb.PENDING_ACTIVITY_STATE_STARTED
	for _, test := range []struct {
		name    string
		pending [][]*workflowpb.PendingActivityInfo
		want    int
	}{
		{"it runs", [][]*workflowpb.PendingActivityInfo{attempt(started, 1, "dead")}, 1},
		{"it is to be canceled", [][]*workflowpb.PendingActivityInfo{attempt(enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED, 1, "dead")}, 1},
		{"it waits", [][]*workflowpb.PendingActivityInfo{attempt(enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, 2, "dead")}, 0},
		{"another worker has it", [][]*workflowpb.PendingActivityInfo{attempt(started, 1, "alive")}, 0},
		{"the next attempt has begun", [][]*workflowpb.PendingActivityInfo{attempt(started, 1, "dead"), attempt(started, 2, "alive")}, 0},
	} {
		f := &temporal{pending: test.pending}
		err := dispatchtest.New(t, f, rows{}).ReleaseActivities(t.Context(), "t-1/sasha", func(a dispatch.Attempt) bool { return a.Worker == "dead" })
		if err != nil || f.failed != test.want {
			t.Errorf("%s: %d attempts are released, want %d; %v", test.name, f.failed, test.want, err)
		}
	}
}
