package channels

// Attending returns how many attend.
func (k *Attendance) Attending() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.attending
}
