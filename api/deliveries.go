package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type ListDeliveriesInput struct {
	State []core.OutboxState `query:"state" description:"one state, or several with commas; may be repeated"`
	Limit int                `query:"limit" default:"200" maximum:"1000" description:"at most so many, 200 by default"`
	After
}

var ListDeliveries = Op[ListDeliveriesInput, List[core.Notification]]{
	Name: "listDeliveries", Needs: rights.DeliveriesRead, Route: "GET /api/outbox",
	About: "List deliveries, newest first", Answer: "deliveries",
}

// DeliveryID is part of inputs with a delivery in the path.
type DeliveryID struct {
	ID int64 `path:"id" id:"delivery"`
}

// A ChangedDelivery names the delivery that was changed.
type ChangedDelivery struct {
	ID int64 `json:"id"`
}

var RetryDelivery = Op[DeliveryID, ChangedDelivery]{
	Name: "retryDelivery", Needs: rights.DeliveriesRetry, Route: "POST /api/outbox/{id}/retry", Deeds: []core.Deed{core.DeedRetry},
	About: "Send a blocked delivery again", Answer: "done",
}

var DismissDelivery = Op[DeliveryID, ChangedDelivery]{
	Name: "dismissDelivery", Needs: rights.DeliveriesDismiss, Route: "POST /api/outbox/{id}/dismiss", Deeds: []core.Deed{core.DeedDismiss},
	About: "Dismiss a delivery: errand will not send it", Answer: "done",
}
