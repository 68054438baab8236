package app_test

import (
	"testing"
	"time"

	schedulepb "go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/wire"
)

// whenClocksChange proves, by Temporal's own reckoning, when maintenance runs around a change of the clocks: every night, but for one in a
// zone whose clocks jump over its time. The night after does that one's work.
func (in *installation) whenClocksChange(t *testing.T) {
	in = in.of(t)
	tests := []struct {
		zone, night string // the day of the change
		want        []string
	}{
		{"Europe/Oslo", "2027-03-28", []string{"27 03:00", "28 03:00", "29 03:00"}}, // 02:00 becomes 03:00
		{"Europe/Oslo", "2027-10-31", []string{"30 03:00", "31 03:00", "01 03:00"}}, // 03:00 becomes 02:00
		{"America/New_York", "2027-03-14", []string{"13 03:00", "14 03:00", "15 03:00"}},
		{"America/New_York", "2027-11-07", []string{"06 03:00", "07 03:00", "08 03:00"}},
		{"Europe/Helsinki", "2027-03-28", []string{"27 03:00", "29 03:00"}},             // 03:00 becomes 04:00
		{"Europe/Helsinki", "2027-10-31", []string{"30 03:00", "31 03:00", "01 03:00"}}, // 04:00 becomes 03:00
	}
	for _, test := range tests {
		in.schedules(dispatch.Maintenance{Hour: 3, Zone: test.zone})
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		night, err := time.ParseInLocation(time.DateOnly, test.night, zone)
		if err != nil {
			t.Fatal(err)
		}
		var times *schedulepb.ListScheduleMatchingTimesResponse
		// Asked too early, the schedule has no time for questions.
		eventually(t, "the times of the schedule", func() bool {
			times, err = in.Client.WorkflowService().ListScheduleMatchingTimes(t.Context(), &schedulepb.ListScheduleMatchingTimesRequest{
				Namespace: "default", ScheduleId: wire.MaintenanceID,
				StartTime: timestamppb.New(night.AddDate(0, 0, -1)), EndTime: timestamppb.New(night.AddDate(0, 0, 2)),
			})
			return err == nil
		})
		var got []string
		for _, at := range times.GetStartTime() {
			got = append(got, at.AsTime().In(zone).Format("02 15:04"))
		}
		if len(got) != len(test.want) {
			t.Errorf("%s around %s: it runs at %q, want %q", test.zone, test.night, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s around %s: it runs at %q, want %q", test.zone, test.night, got, test.want)
			}
		}
	}
}

func (in *installation) schedules(m dispatch.Maintenance) {
	in.t.Helper()
	d, err := dispatch.New(dispatch.Options{Client: in.Client, Store: in.Store, Maintenance: m, Logger: testLogger(in.t)})
	if err != nil {
		in.t.Fatal(err)
	}
	eventually(in.t, "the schedule of "+m.Zone, func() bool { return d.EnsureSchedules(in.t.Context()) == nil })
}
