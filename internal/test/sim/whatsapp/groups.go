package whatsapp

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mau.fi/whatsmeow/types"
)

// A Group is a chat of several people, who see each other by their LIDs.
type Group struct {
	JID types.JID

	s       *Server
	subject string
	members []*Person // the first has made it
}

// AddGroup makes a group. The first member is its admin.
func (s *Server) AddGroup(subject string, members ...*Person) *Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &Group{JID: types.NewJID("120363"+strconv.FormatInt(100_000_000_000+s.id(), 10), types.GroupServer), s: s, subject: subject, members: members}
	s.groups[g.JID] = g
	for _, p := range members {
		g.welcome(p)
	}
	s.happened()
	return g
}

// Add takes somebody into the group.
func (g *Group) Add(p *Person) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.members = append(g.members, p)
	g.broadcast(node{Tag: "add", Content: []node{p.participant()}})
	g.welcome(p)
	g.s.happened()
}

// Kick removes somebody from the group; those who leave by themselves are gone
// in the same way.
func (g *Group) Kick(p *Person) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.remove(p)
	g.s.happened()
}

// Dissolve ends the group for everybody.
func (g *Group) Dissolve() {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.broadcast(node{Tag: "delete"})
	delete(g.s.groups, g.JID)
	g.s.happened()
}

func (g *Group) remove(p *Person) {
	// The one who goes is told too.
	g.broadcast(node{Tag: "remove", Content: []node{p.participant()}})
	g.members = slices.DeleteFunc(g.members, func(m *Person) bool { return m == p })
}

func (g *Group) has(p *Person) bool { return slices.Contains(g.members, p) }

// broadcast notifies all devices of the members of a change.
func (g *Group) broadcast(change node) {
	for _, p := range g.members {
		g.notify(p, change)
	}
}

func (g *Group) notify(p *Person, change node) {
	for _, d := range p.inOrder() {
		d.deliver(node{Tag: "notification", Attrs: attrs{"type": "w:gp2", "from": g.JID, "id": g.s.stanza(), "addressing_mode": "lid",
			"participant": g.members[0].LID(), "participant_pn": g.members[0].JID()}, Content: []node{change}})
	}
}

func (g *Group) welcome(p *Person) {
	g.notify(p, node{Tag: "create", Attrs: attrs{"type": "new", "key": g.s.stanza()}, Content: []node{g.info()}})
}

func (p *Person) participant() node {
	a := attrs{"jid": p.LID()}
	if p.shows != ByLIDOnly {
		a["phone_number"] = p.JID()
	}
	return node{Tag: "participant", Attrs: a}
}

func (g *Group) info() node {
	var list []node
	for i, p := range g.members {
		n := p.participant()
		if i == 0 {
			n.Attrs["type"] = "superadmin"
		}
		list = append(list, n)
	}
	return node{Tag: "group", Attrs: attrs{"id": g.JID.User, "subject": g.subject, "creation": stamp(time.Now()), "addressing_mode": "lid",
		"size": strconv.Itoa(len(list)), "creator": g.members[0].LID(), "creator_pn": g.members[0].JID()}, Content: list}
}

// groupQuery answers what groups there are and who is in them, to members only.
func (s *Server) groupQuery(c *conn, n *node) {
	p := c.device.owner
	if _, ok := n.GetOptionalChildByTag("participating"); ok {
		var list []node
		for _, g := range s.groups {
			if g.has(p) {
				list = append(list, g.info())
			}
		}
		c.result(n, node{Tag: "groups", Content: list})
		return
	}
	if left, ok := n.GetOptionalChildByTag("leave", "group"); ok {
		if g := s.groups[address(&left, "id")]; g != nil && g.has(p) {
			g.remove(p)
		}
		c.result(n)
		return
	}
	g := s.groups[address(n, "to")]
	switch {
	case g == nil:
		c.error(n, 404, "item-not-found")
	case !g.has(p) || text(n, "type") == "set":
		c.error(n, 403, "forbidden")
	default:
		c.result(n, g.info())
	}
}

// routeGroup gives a message to the members of a group. What is encrypted for
// all comes once; with it comes for each device the key to open it with.
func (s *Server) routeGroup(d *Device, n *node, to types.JID) (code int, hash string) {
	g := s.groups[to]
	switch {
	case g == nil:
		return 404, ""
	case !g.has(d.owner):
		return 403, ""
	}
	var common []node
	for _, child := range n.GetChildren() {
		if child.Tag == "enc" {
			common = append(common, child)
		}
	}
	if one := address(n, "participant"); !one.IsEmpty() {
		// A device that could not open the message has asked for it again.
		if r := s.device(one); r != nil && g.has(r.owner) {
			r.deliver(node{Tag: "message", Attrs: d.toGroup(n, to), Content: n.GetChildren()})
		}
		return 0, ""
	}
	own := map[types.JID][]node{}
	list := n.GetChildByTag("participants")
	for _, each := range list.GetChildren() {
		own[address(&each, "jid")] = each.GetChildren()
	}
	var all []string
	for _, p := range g.members {
		for _, r := range p.inOrder() {
			all = append(all, r.lid().ADString())
			if r != d {
				r.deliver(node{Tag: "message", Attrs: d.toGroup(n, to), Content: slices.Concat(own[r.lid()], common, besides(n))})
			}
		}
	}
	if right := listHash(all); right != text(n, "phash") {
		return 0, right
	}
	return 0, ""
}

func (d *Device) toGroup(n *node, to types.JID) attrs {
	a := d.envelope(n)
	a["from"], a["participant"], a["addressing_mode"] = to, d.lid(), "lid"
	if d.owner.shows != ByLIDOnly {
		a["participant_pn"] = d.owner.JID()
	}
	return a
}

func listHash(devices []string) string {
	slices.Sort(devices)
	sum := sha256.Sum256([]byte(strings.Join(devices, "")))
	return "2:" + base64.RawStdEncoding.EncodeToString(sum[:6])
}
