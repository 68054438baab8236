package whatsapp

import (
	"strconv"
	"time"

	"go.mau.fi/whatsmeow/types"
)

// login lets a device in that has been linked, and gives it what it missed.
func (s *Server) login(c *conn) {
	p := s.people[strconv.FormatUint(c.hello.payload.GetUsername(), 10)]
	var d *Device
	if p != nil {
		d = p.devices[uint16(c.hello.payload.GetDevice())]
	}
	switch {
	case d != nil && p.banned > 0 && d.concerned():
		c.refuse(attrs{"reason": "402", "code": "101", "expire": strconv.Itoa(int(p.banned.Seconds()))})
		return
	case d == nil || d.noise != c.hello.key:
		c.refuse(attrs{"reason": "401", "location": "local"})
		return
	case len(p.trouble.refusals) > 0 && d.concerned():
		reason := p.trouble.refusals[0]
		p.trouble.refusals = p.trouble.refusals[1:]
		c.refuse(attrs{"reason": strconv.Itoa(reason), "location": "local"})
		return
	}
	// Only one connection per device: the second takes over.
	d.dismiss(replaced(), forClient)
	c.device, d.conn = d, c
	d.logins++
	if d.concerned() {
		p.trouble.logins++
	}
	c.send(node{Tag: "success", Attrs: attrs{"t": stamp(time.Now()), "lid": d.lid(), "location": "local", "companion_enc_static": "", "creation": stamp(time.Now())}})
	s.happened()
}

func (c *conn) refuse(a attrs) {
	c.send(node{Tag: "failure", Attrs: a})
	if a["reason"] == "500" || a["reason"] == "503" {
		c.end(forServer)
	} else {
		c.end(forClient)
	}
	c.s.happened()
}

func replaced() node {
	return node{Tag: "stream:error", Content: []node{{Tag: "conflict", Attrs: attrs{"type": "replaced"}}}}
}

func removed() node {
	return node{Tag: "stream:error", Attrs: attrs{"code": "401"}, Content: []node{{Tag: "conflict", Attrs: attrs{"type": "device_removed"}}}}
}

// query answers an info query.
func (s *Server) query(c *conn, n *node) {
	if t := text(n, "type"); t == "result" || t == "error" {
		if c.link != nil {
			s.signed(c, n)
		}
		return
	}
	space := text(n, "xmlns")
	if c.device == nil {
		switch space {
		case "md":
			s.linkCode(c, n)
		case "w:p":
			c.result(n)
		}
		return
	}
	d := c.device
	if d.conn != c {
		return
	}
	set := text(n, "type") == "set"
	switch {
	case space == "w:p":
		c.result(n)
	case space == "passive":
		c.result(n)
		if _, ok := n.GetOptionalChildByTag("active"); ok {
			d.activate()
		}
	case space == "encrypt" && set:
		d.takeKeys(n)
		c.result(n)
	case space == "encrypt":
		s.giveKeys(c, n)
	case space == "usync":
		s.usync(c, n)
	case space == "w:g2":
		s.groupQuery(c, n)
	case space == "w:m":
		c.result(n, node{Tag: "media_conn", Attrs: attrs{"auth": "local", "ttl": "3600", "auth_ttl": "3600", "max_buckets": "12"},
			Content: []node{{Tag: "host", Attrs: attrs{"hostname": mediaHost}}}})
	case space == "md" && set:
		s.leave(c, n)
	case space == "w:sync:app:state":
		s.appState(c, n)
	case space == "privacy" && !set:
		c.result(n, node{Tag: "privacy", Content: []node{{Tag: "category", Attrs: attrs{"name": "readreceipts", "value": "all"}}}})
	case space == "blocklist" && !set:
		c.result(n, node{Tag: "list", Attrs: attrs{"dhash": ""}})
	case set:
		c.result(n)
	case space == "w:profile:picture":
		c.error(n, 404, "item-not-found")
	default:
		c.error(n, 501, "feature-not-implemented")
	}
}

func (c *conn) result(to *node, content ...node) {
	a := attrs{"type": "result", "id": to.Attrs["id"], "from": types.ServerJID}
	if jid := address(to, "to"); !jid.IsEmpty() {
		a["from"] = jid
	}
	n := node{Tag: "iq", Attrs: a}
	if len(content) > 0 {
		n.Content = content
	}
	c.send(n)
}

func (c *conn) error(to *node, code int, text string) {
	c.send(node{Tag: "iq", Attrs: attrs{"type": "error", "id": to.Attrs["id"], "from": types.ServerJID},
		Content: []node{{Tag: "error", Attrs: attrs{"code": code, "text": text}}}})
}
