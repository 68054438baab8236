package whatsapp

// A link is a client that shows a QR text.
type link struct{ ref string }

func (s *Server) offerLink(c *conn)         {}
func (s *Server) signed(c *conn, n *node)   {}
func (s *Server) linkCode(c *conn, n *node) {}
func (s *Server) leave(c *conn, n *node)    { c.result(n) }
