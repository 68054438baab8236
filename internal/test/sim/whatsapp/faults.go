package whatsapp

import "time"

// A FaultKind is how the platform misbehaves when a message is sent to it.
type FaultKind string

// The faults of a message on its way to the server.
const (
	// DropBefore breaks the connection; the message was not accepted.
	DropBefore FaultKind = "drop before"
	// DropAfter breaks it when the message was accepted, before the answer.
	// whatsmeow sends the same frame again if it can reconnect within 5 s.
	DropAfter FaultKind = "drop after"
	NoAck     FaultKind = "no ack" // it was accepted, and there is never an answer
	Refuse    FaultKind = "refuse" // it is answered with Fault.Code, and goes nowhere
)

// Codes that WhatsApp refuses messages with.
const (
	RateLimited = 429 // too many
	Restricted  = 463 // the account may not write to people who did not write to it
	Invalid     = 479 // the stanza is not as it should be
)

// A Fault is met by one message.
type Fault struct {
	Kind FaultKind
	Code int // of Refuse
	// Out: when it is met, the server becomes Unreachable, so that nobody sends the
	// message again by themselves before Reachable is called.
	Out bool
	// Met, if set, is called when DropBefore or DropAfter is met, before the
	// connection breaks: the sender is still waiting. It must not call the server.
	Met func()
}

func (f Fault) met() {
	if f.Met != nil {
		f.Met()
	}
}

// trouble is what was ordered for a person. It concerns the devices that are
// linked to an account's phone, and of everybody else the phone.
type trouble struct {
	faults   []Fault
	refusals []int // of logins
	held     bool
	twice    int // how many of the next messages come twice
	garbled  int // how many of the next messages cannot be opened
	logins   int
}

// concerned reports whether the orders for a device's owner are for it.
func (d *Device) concerned() bool { return d.owner.linked == (d.Number != 0) }

func (d *Device) fault() Fault {
	p := d.owner
	if !d.concerned() || len(p.trouble.faults) == 0 {
		return Fault{}
	}
	f := p.trouble.faults[0]
	p.trouble.faults = p.trouble.faults[1:]
	return f
}

func (p *Person) change(do func(*Device)) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	for _, d := range p.inOrder() {
		if d.concerned() {
			do(d)
		}
	}
	p.s.happened()
}

// Order queues faults: each is met by one of the next messages. Like everything
// below, it is for the devices linked to an account's phone, and of everybody
// else for the phone.
func (p *Person) Order(faults ...Fault) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.trouble.faults = append(p.trouble.faults, faults...)
}

// RefuseLogin refuses the next logins, each for one of the reasons: 401 is
// unlinked, 403 banned, 405 outdated, 500 and 503 the server's own trouble.
func (p *Person) RefuseLogin(reasons ...int) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.trouble.refusals = append(p.trouble.refusals, reasons...)
}

// Logins returns how often they have logged in.
func (p *Person) Logins() int {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.trouble.logins
}

// Waiting returns how many messages the server keeps, because they have not been
// acknowledged.
func (p *Person) Waiting() int {
	n := 0
	p.change(func(d *Device) {
		for _, st := range d.queue {
			if st.node.Tag == "message" {
				n++
			}
		}
	})
	return n
}

// Drop breaks the connection without a word.
func (p *Person) Drop() { p.change((*Device).cut) }

// Restart announces to the connection that the server goes, and closes it.
func (p *Person) Restart() {
	p.change(func(d *Device) { d.dismiss(node{Tag: "stream:error", Attrs: attrs{"code": "503"}}, forServer) })
}

// Replace is somebody else using the same session: the present connection ends.
func (p *Person) Replace() { p.change(func(d *Device) { d.dismiss(replaced(), forClient) }) }

// Ban keeps the person out for a while, or lets them in again with 0. It ends
// their connections.
func (p *Person) Ban(for_ time.Duration) {
	p.s.mu.Lock()
	p.banned = for_
	p.s.mu.Unlock()
	if for_ > 0 {
		p.Drop()
	}
}

// Unlink is the person logging the linked devices out from their phone.
func (a *Account) Unlink() {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	for _, d := range a.inOrder() {
		if d.Number != 0 {
			d.dismiss(removed(), forClient)
			delete(a.devices, d.Number)
		}
	}
	a.s.devicesChanged(a.Person)
	a.s.happened()
}

// Unreachable breaks the connections of all but people's phones, and refuses new
// ones, until what it returns is called.
func (s *Server) Unreachable() (back func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.goDown()
	return s.Reachable
}

// goDown is Unreachable; the caller holds mu.
func (s *Server) goDown() {
	s.down = true
	for c := range s.conns {
		if !c.phone {
			c.drop()
			if c.device != nil && c.device.conn == c {
				c.device.conn = nil
			}
		}
	}
	s.happened()
}

// Reachable ends what Unreachable began.
func (s *Server) Reachable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = false
	s.happened()
}

// Down reports whether the server is Unreachable.
func (s *Server) Down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// OrderMedia makes the next uploads and downloads fail, each with one of the
// status codes. whatsmeow tries downloads again by itself, five times in all.
func (s *Server) OrderMedia(codes ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.media = append(s.media, codes...)
}
