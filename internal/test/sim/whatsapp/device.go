package whatsapp

import (
	"slices"
	"strconv"
	"time"

	"go.mau.fi/whatsmeow/types"
)

// A Device is one of a person's: their phone, whose number is 0, or one that is
// linked to it.
type Device struct {
	Number uint16

	s          *Server
	owner      *Person
	noise      [32]byte
	identity   []byte
	registered []byte // the registration id
	signed     node   // the signed one-time key
	keys       []node // one-time keys that are left
	conn       *conn
	queue      []*stanza // what the device has not acknowledged, in order
	past       []*stanza // the messages it acknowledged last
	logins     int
	presence   string // "unavailable as Ana"; empty before the first
}

// A stanza waits until its device acknowledges it.
type stanza struct {
	node node
	at   time.Time
	on   *conn // where it was sent last
}

// jid and lid are the two addresses of a device.
func (d *Device) jid() types.JID { return at(d.owner.JID(), d.Number) }
func (d *Device) lid() types.JID { return at(d.owner.LID(), d.Number) }

func at(user types.JID, device uint16) types.JID {
	user.Device = device
	return user
}

// deliver queues a stanza, and sends it if the device is there. The caller
// holds mu, as for everything here.
func (d *Device) deliver(n node) {
	if _, ok := n.Attrs["t"]; !ok {
		n.Attrs["t"] = stamp(time.Now())
	}
	if t := &d.owner.trouble; t.garbled > 0 && n.Tag == "message" && d.concerned() {
		t.garbled--
		n = garble(n)
	}
	d.queue = append(d.queue, &stanza{node: n, at: time.Now()})
	if t := &d.owner.trouble; t.twice > 0 && n.Tag == "message" && d.concerned() {
		t.twice--
		d.queue = append(d.queue, &stanza{node: n, at: time.Now()})
	}
	d.flush(false)
}

// flush sends what the present connection has not got yet. What was queued
// before the connection is marked as old, as the real server does.
func (d *Device) flush(offline bool) {
	if d.conn == nil || !d.conn.active || d.owner.trouble.held && d.concerned() {
		return
	}
	for _, st := range d.queue {
		if st.on == d.conn {
			continue
		}
		st.on = d.conn
		n := st.node
		if offline {
			n.Attrs = clone(n.Attrs)
			n.Attrs["offline"] = "0"
		}
		d.conn.send(n)
	}
}

// activate delivers what has waited, framed by the two announcements.
func (d *Device) activate() {
	if d.conn.active {
		return
	}
	d.conn.active = true
	count := func(tag string) string {
		n := 0
		for _, st := range d.queue {
			if tag == "" || st.node.Tag == tag {
				n++
			}
		}
		return strconv.Itoa(n)
	}
	d.conn.send(node{Tag: "ib", Content: []node{{Tag: "offline_preview", Attrs: attrs{"count": count(""), "appdata": "0",
		"message": count("message"), "notification": count("notification"), "receipt": count("receipt")}}}})
	total := count("")
	d.flush(true)
	d.conn.send(node{Tag: "ib", Content: []node{{Tag: "offline", Attrs: attrs{"count": total}}}})
}

// acked takes a stanza out of the queue: nothing else does. Of two copies, an
// acknowledgement is for the first.
func (d *Device) acked(class, id string, from types.JID) {
	for i, st := range d.queue {
		if st.node.Tag == class && text(&st.node, "id") == id && address(&st.node, "from").User == from.User && st.on != nil {
			d.queue = slices.Delete(d.queue, i, i+1)
			if class == "message" {
				d.past = append(d.past, st)
			}
			return
		}
	}
}

// cut ends the connection of a device.
func (d *Device) cut() {
	if d.conn != nil {
		d.conn.drop()
		d.conn = nil
	}
}

// dismiss ends the connection with a last word.
func (d *Device) dismiss(n node, stays time.Duration) {
	if d.conn != nil {
		d.conn.send(n)
		d.conn.send(node{Tag: "xmlstreamend"})
		d.conn.end(stays)
		d.conn = nil
	}
}

func clone(a attrs) attrs {
	b := attrs{}
	for k, v := range a {
		b[k] = v
	}
	return b
}
