package a2aserver

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// errand sends no push notifications yet, and its cards say so: a client subscribes, or asks.

// CreateTaskPushConfig is as of a [a2asrv.RequestHandler].
func (h *handler) CreateTaskPushConfig(context.Context, *a2a.PushConfig) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// GetTaskPushConfig is as of a [a2asrv.RequestHandler].
func (h *handler) GetTaskPushConfig(context.Context, *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// ListTaskPushConfigs is as of a [a2asrv.RequestHandler].
func (h *handler) ListTaskPushConfigs(context.Context, *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// DeleteTaskPushConfig is as of a [a2asrv.RequestHandler].
func (h *handler) DeleteTaskPushConfig(context.Context, *a2a.DeleteTaskPushConfigRequest) error {
	return a2a.ErrPushNotificationNotSupported
}
