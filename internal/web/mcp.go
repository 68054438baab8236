package web

import (
	"encoding/json"
	"net/http"

	"errand/internal/service"
)

func (s *Server) getMCP(r *http.Request, _ nothing) ([]service.MCPServer, error) {
	return s.Backend.MCPServers(r.Context(), actor(r))
}

type mcpTryIn struct {
	Server string `path:"server"`
	Body   mcpCall
}

type mcpCall struct {
	Tool      string         `json:"tool" required:"true" description:"by the server's own name, or by the one that agents know it by"`
	Arguments map[string]any `json:"arguments,omitempty"`
}

type mcpTryOut struct {
	Text string `json:"text" description:"what an agent would read"`
}

// postMCPTry calls a tool of an MCP server.
func (s *Server) postMCPTry(r *http.Request, in mcpTryIn) (out mcpTryOut, err error) {
	args := []byte("{}")
	if in.Body.Arguments != nil {
		if args, err = json.Marshal(in.Body.Arguments); err != nil {
			return out, err
		}
	}
	out.Text, err = s.Backend.TryMCPTool(r.Context(), actor(r), in.Server, in.Body.Tool, args)
	return out, err
}
