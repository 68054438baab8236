package channels

import "time"

// Attending returns how many attend.
func (k *Attendance) Attending() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.attending
}

// SetUntil has a lease be held until then.
func SetUntil(h *LeaseRunner, until time.Time) { h.setUntil(until) }
