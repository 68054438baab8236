package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"errand/internal/temporal/wire"
	"errand/internal/test/dispatchtest"
)

// TestHastenPeer proves that a peer with news is looked at once more, by an attempt that
// begins after that, whatever is done with it just then.
func TestHastenPeer(t *testing.T) {
	activity := func(kind string, state enumspb.PendingActivityState, since int64) []*workflowpb.PendingActivityInfo {
		return []*workflowpb.PendingActivityInfo{{ActivityType: &commonpb.ActivityType{Name: kind}, State: state, LastStartedTime: timestamppb.New(time.Unix(since, 0))}}
	}
	waits := func(since int64) []*workflowpb.PendingActivityInfo {
		return activity(wire.WatchPeerActivity, enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, since)
	}
	looks := func(since int64) []*workflowpb.PendingActivityInfo {
		return activity(wire.WatchPeerActivity, enumspb.PENDING_ACTIVITY_STATE_STARTED, since)
	}
	for _, test := range []struct {
		name    string
		pending [][]*workflowpb.PendingActivityInfo
		resets  int
		fails   bool
	}{
		{"it waits", [][]*workflowpb.PendingActivityInfo{waits(1)}, 1, false},
		{"it looks, and waits then", [][]*workflowpb.PendingActivityInfo{looks(1), looks(1), waits(1)}, 1, false},
		{"it looks, and looks again", [][]*workflowpb.PendingActivityInfo{looks(1), looks(2)}, 0, false},
		{"it looks, and has ended then", [][]*workflowpb.PendingActivityInfo{looks(1), nil}, 0, false},
		{"it looks, and does not end", [][]*workflowpb.PendingActivityInfo{looks(1)}, 0, true},
		{"it does something else", [][]*workflowpb.PendingActivityInfo{activity("AnswerPeer", enumspb.PENDING_ACTIVITY_STATE_SCHEDULED, 1)}, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &temporal{pending: test.pending}
				ctx, hangUp := context.WithCancel(t.Context())
				hangUp() // the peer does not wait for it
				err := dispatchtest.New(t, f, rows{}).HastenPeer(ctx, "t-1", "oracle")
				if f.resets != test.resets || (err != nil) != test.fails {
					t.Errorf("it is reset %d times, %v", f.resets, err)
				}
			})
		})
	}
}
