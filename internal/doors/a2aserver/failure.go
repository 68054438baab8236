package a2aserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand/internal/service"
)

var codes = map[error]int{a2a.ErrInvalidRequest: -32600, a2a.ErrVersionNotSupported: -32009, a2a.ErrInvalidParams: -32602}

func (s *Server) refuse(w http.ResponseWriter, isRPC bool, status int, id json.RawMessage, err *a2a.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fault := map[string]any{"code": status, "status": a2a.ErrorReason(err.Err), "message": err.Message, "details": []any{err.ErrorInfo()}}
	answer := map[string]any{"error": fault}
	if isRPC {
		answer = map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": codes[err.Err], "message": err.Message, "data": []any{err.ErrorInfo()}}}
	}
	_ = json.NewEncoder(w).Encode(answer) // fails only if the client is gone
}

var kinds = map[service.Kind]error{
	service.KindInvalid: a2a.ErrInvalidParams, service.KindForbidden: a2a.ErrUnauthorized, service.KindNotFound: a2a.ErrTaskNotFound,
	service.KindConflict: a2a.ErrUnsupportedOperation, service.KindTooLarge: a2a.ErrInvalidParams, service.KindTooMany: a2a.ErrServerError,
	service.KindTimeout: a2a.ErrServerError, service.KindUnauthenticated: a2a.ErrUnauthenticated,
}

// refused returns the client's own errors in full. It hides the details of all others.
func (s *Server) refused(ctx context.Context, err error) error {
	var wire *a2a.Error
	var known *service.Error
	switch {
	case err == nil || errors.As(err, &wire):
		return err
	case errors.As(err, &known) && kinds[known.Kind] != nil:
		meta := map[string]string{"code": known.Code}
		if known.RetryAfter > 0 {
			meta["retryAfterSeconds"] = strconv.Itoa(int(known.RetryAfter.Seconds()))
		}
		return a2a.NewError(kinds[known.Kind], known.Message).WithErrorInfoMeta(meta)
	}
	if ctx.Err() == nil {
		s.Logger.Error("A2A call failed", "error", err)
	}
	return a2a.NewError(a2a.ErrInternalError, "errand could not do this because of an internal error. Its log says more; try again later")
}

func invalid(text string) error { return a2a.NewError(a2a.ErrInvalidParams, text) }

func stateNames() []a2a.TaskState { return slices.Sorted(maps.Keys(fromWire)) }
