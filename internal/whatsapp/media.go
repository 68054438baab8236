package whatsapp

import "net/http"

func (s *Server) serveMedia(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
