package elect

import "time"

// HoldUntil has the lease be held until then.
func (e *Elector) HoldUntil(until time.Time) { e.setUntil(until) }
