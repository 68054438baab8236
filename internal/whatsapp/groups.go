package whatsapp

import "go.mau.fi/whatsmeow/types"

// A Group is a chat of several people.
type Group struct {
	JID     types.JID
	Subject string

	s *Server
}

func (s *Server) routeGroup(d *Device, n *node, to types.JID) (int, string) { return 404, "" }

func (s *Server) groupQuery(c *conn, n *node) { c.error(n, 404, "item-not-found") }
