package servicetest

import (
	"context"
	"io"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
)

// SendsFiles returns a runner of the tool send_file that sends by a store.
func SendsFiles(s *store.Store) *ops.Runner {
	r := NewRunner()
	ops.Bind(r, api.SendFileByTool, func(ctx context.Context, _ actor.Actor, in api.SendFileByToolInput) (core.FileDelivery, error) {
		return s.SendFile(ctx, in.Key, in.Path, in.Text, in.SHA256)
	})
	return r
}

// ReadArtifact returns the data of a file that a person sent.
func ReadArtifact(ctx context.Context, s *service.Service, by actor.Actor, id core.ArtifactID) (api.File, []byte, error) {
	f, err := ops.Do(ctx, s.Runner, api.GetArtifact, by, api.GetArtifactInput{ID: id})
	if err != nil {
		return f, nil, err
	}
	data, err := io.ReadAll(f)
	return f, data, err
}
