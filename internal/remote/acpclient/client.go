package acpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/coder/acp-go-sdk"

	"errand/internal/remote/stdio"
)

// A client offers the program no files and no terminals, because the program can use those
// of the machine.
type client struct{ s *session }

var _ acp.Client = client{}

func (c client) RequestPermission(ctx context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	return c.s.permit(ctx, p)
}

// SessionUpdate is never called: screen handles updates.
func (client) SessionUpdate(context.Context, acp.SessionNotification) error { return nil }

func (client) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, acp.NewMethodNotFound(acp.ClientMethodFsReadTextFile)
}

func (client) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, acp.NewMethodNotFound(acp.ClientMethodFsWriteTextFile)
}

func (client) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalCreate)
}

func (client) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalKill)
}

func (client) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalOutput)
}

func (client) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalRelease)
}

func (client) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalWaitForExit)
}

// A screen handles session updates itself, one at a time and before later messages. The
// library would queue up to a thousand of them and then close the connection.
type screen struct {
	process *stdio.Process
	s       *session
	open    chan struct{} // closed when the library may start
	rest    []byte
}

func (r *screen) Read(b []byte) (int, error) {
	<-r.open
	for len(r.rest) == 0 {
		line, err := r.process.Next()
		if err != nil {
			return 0, err
		}
		r.s.lastMessage.Store(time.Now().UnixNano())
		if !r.intercept(line) {
			r.rest = line
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *screen) intercept(line []byte) bool {
	if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' {
		return true // the library does not support batches
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(line, &m); err != nil || len(m.ID) > 0 || m.Method == "" {
		return err != nil
	}
	var n acp.SessionNotification
	if m.Method == acp.ClientMethodSessionUpdate && json.Unmarshal(m.Params, &n) == nil {
		r.s.update(n)
	}
	return m.Method != "$/cancel_request"
}
