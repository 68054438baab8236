package workflowtest

import (
	"slices"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

// Outbox is what is to be delivered to a chat on the platform, in order.
func (in *Installation) Outbox(chat string) []core.Notification {
	in.T.Helper()
	rows, err := in.Store.Deliveries(in.T.Context(), nil, store.Page{})
	if err != nil {
		in.T.Fatal(err)
	}
	rows = slices.DeleteFunc(rows, func(n core.Notification) bool { return n.Route.Chat != chat })
	slices.Reverse(rows)
	return rows
}

// Sees fails unless people see, in a chat on the platform, texts that contain these,
// each one of them, in this order, and nothing else.
func (in *Installation) Sees(chat string, want ...string) {
	in.T.Helper()
	if got := in.Platform.Seen(chat); !slices.EqualFunc(got, want, strings.Contains) {
		in.T.Errorf("the person sees\n\t%q\nwant\n\t%q", got, want)
	}
}

// Retry has a delivery tried again as a person does.
func (in *Installation) Retry(row int64) error {
	defer in.Settle()
	_, err := ops.Do(in.T.Context(), in.House.Runner, api.RetryDelivery, in.owner(), api.DeliveryID{ID: row})
	return err
}

// Dismiss gives a delivery up as a person does.
func (in *Installation) Dismiss(row int64) error {
	defer in.Settle()
	_, err := ops.Do(in.T.Context(), in.House.Runner, api.DismissDelivery, in.owner(), api.DeliveryID{ID: row})
	return err
}
