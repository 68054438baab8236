package whatsapp

// A FaultKind is how the platform misbehaves when a message is sent to it.
type FaultKind string

// The faults of a message on its way to the server.
const (
	DropBefore FaultKind = "drop before" // the connection breaks; the message was not accepted
	DropAfter  FaultKind = "drop after"  // it was accepted, and the connection breaks before the answer
	NoAck      FaultKind = "no ack"      // it was accepted, and there is never an answer
	Refuse     FaultKind = "refuse"      // it is answered with Fault.Code, and goes nowhere
)

// Codes that WhatsApp refuses messages with.
const (
	RateLimited = 429 // too many
	Restricted  = 463 // the account may not write to new people for a while
	Invalid     = 479 // the stanza is not as it should be
)

// A Fault is met by one message.
type Fault struct {
	Kind FaultKind
	Code int // of Refuse
}

func (d *Device) fault() Fault {
	if len(d.faults) == 0 {
		return Fault{}
	}
	f := d.faults[0]
	d.faults = d.faults[1:]
	return f
}
