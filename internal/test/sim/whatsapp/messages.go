package whatsapp

import (
	"time"

	"go.mau.fi/whatsmeow/types"
)

func (s *Server) accept(d *Device, n *node) {
	f := d.fault()
	if f.Out {
		defer s.goDown()
	}
	switch f.Kind {
	case DropBefore:
		f.met()
		d.cut()
		return
	case Refuse:
		d.answer(n, f.Code, "")
		return
	}
	s.frames[text(n, "id")]++
	code, hash := s.route(d, n)
	switch f.Kind {
	case DropAfter:
		f.met()
		d.cut()
	case NoAck:
	default:
		d.answer(n, code, hash)
	}
}

// answer acknowledges a message, or says what was wrong with it.
func (d *Device) answer(n *node, code int, hash string) {
	if d.conn == nil {
		return
	}
	a := attrs{"class": "message", "id": n.Attrs["id"], "from": n.Attrs["to"], "t": stamp(time.Now())}
	if code != 0 {
		a["error"] = code
	}
	if hash != "" {
		a["phash"] = hash
	}
	d.conn.send(node{Tag: "ack", Attrs: a})
}

// route finds the devices that a message is for. It returns an error code, or 0,
// and for a list of devices that is no longer right the hash of the right one.
func (s *Server) route(d *Device, n *node) (code int, hash string) {
	to := address(n, "to")
	if tooLong(n, s.opts.MaxMessage) {
		return 413, ""
	}
	if to.Server == types.GroupServer {
		return s.routeGroup(d, n, to)
	}
	if s.person(to) == nil {
		return 404, ""
	}
	if _, ok := n.GetOptionalChildByTag("enc"); ok {
		// To one device: a repeat that it asked for, or a word between the
		// devices of one person.
		if r := s.device(to); r != nil {
			r.deliver(d.direct(r, n, n.GetChildren()))
		}
		return 0, ""
	}
	list, served := n.GetChildByTag("participants"), map[*Device]bool{d: true}
	for _, each := range list.GetChildren() {
		// whatsmeow encrypts what one writes to oneself twice for each device.
		if r := s.device(address(&each, "jid")); r != nil && !served[r] && !r.owner.blocked[d.owner] {
			served[r] = true
			r.deliver(d.direct(r, n, append(each.GetChildren(), besides(n)...)))
		}
	}
	return 0, ""
}

func (d *Device) direct(r *Device, n *node, content []node) node {
	a := d.envelope(n)
	if r.owner == d.owner {
		a["from"] = d.lid()
		if to := address(n, "to").ToNonAD(); text(n, "category") == "" {
			a["recipient"] = to
			if p := d.s.person(to); p != nil && to.Server == types.HiddenUserServer {
				a["peer_recipient_pn"] = p.JID()
			}
		}
	} else {
		from, other, name := d.owner.shown(d.Number)
		a["from"] = from
		if !other.IsEmpty() {
			a["sender_"+name] = other
		}
	}
	if d.s.once[text(n, "id")] && r.Number != 0 {
		// Linked devices are not shown what may be seen once.
		content = []node{{Tag: "unavailable", Attrs: attrs{"type": "view_once"}}}
	}
	return node{Tag: "message", Attrs: a, Content: content}
}

func (d *Device) envelope(n *node) attrs {
	a := attrs{"id": n.Attrs["id"], "type": n.Attrs["type"], "t": stamp(time.Now()), "notify": d.owner.Name}
	for _, name := range []string{"edit", "category"} {
		if v, ok := n.Attrs[name]; ok {
			a[name] = v
		}
	}
	return a
}

func besides(n *node) (list []node) {
	for _, child := range n.GetChildren() {
		if child.Tag == "device-identity" || child.Tag == "meta" {
			list = append(list, child)
		}
	}
	return list
}

// tooLong reports whether any device would get more than max bytes.
func tooLong(n *node, max int) bool {
	if n.Tag == "enc" && len(bytesOf(*n)) > max {
		return true
	}
	for _, child := range n.GetChildren() {
		if tooLong(&child, max) {
			return true
		}
	}
	return false
}

// receipt passes on that something was delivered, read, or cannot be opened.
func (s *Server) receipt(d *Device, n *node) {
	to, kind, id := address(n, "to"), text(n, "type"), text(n, "id")
	switch kind {
	case "", "inactive", "sender", "peer_msg":
		// These stand for the acknowledgement of a message; a device that asks
		// for a repeat acknowledges besides.
		d.acked("message", id, to)
	}
	if d.conn != nil {
		a := attrs{"class": "receipt", "id": id, "from": to, "t": stamp(time.Now())}
		if kind != "" {
			a["type"] = kind
		}
		d.conn.send(node{Tag: "ack", Attrs: a})
	}
	if kind == "sender" || kind == "peer_msg" || kind == "hist_sync" {
		return
	}
	a := attrs{"id": id, "t": stamp(time.Now())}
	if kind != "" {
		a["type"] = kind
	}
	from, other, name := d.owner.shown(d.Number)
	a["from"] = from
	target := to
	if to.Server == types.GroupServer {
		target = address(n, "participant")
		a["from"], a["participant"] = to, from
		if !other.IsEmpty() {
			a["participant_"+name] = other
		}
	} else if !other.IsEmpty() {
		a["sender_"+name] = other
	}
	p := s.person(target)
	if p == nil {
		return
	}
	for _, r := range p.inOrder() {
		if r != d && (kind != "retry" || r.Number == target.Device) {
			r.deliver(node{Tag: "receipt", Attrs: clone(a), Content: n.Content})
		}
	}
}

// chatstate passes on that somebody is writing. Nothing waits for those who are
// not there.
func (s *Server) chatstate(d *Device, n *node) {
	to := address(n, "to")
	from, _, _ := d.owner.shown(0)
	a, others := attrs{"from": from}, []*Person{s.person(to)}
	if g := s.groups[to]; g != nil && g.has(d.owner) {
		a, others = attrs{"from": to, "participant": d.owner.LID()}, g.members
	}
	for _, p := range others {
		if p == nil || p == d.owner {
			continue
		}
		for _, r := range p.inOrder() {
			if r.conn != nil && r.conn.active {
				r.conn.send(node{Tag: "chatstate", Attrs: clone(a), Content: n.Content})
			}
		}
	}
}
