package service

import (
	"context"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// Artifact is something that a person sent besides text.
type Artifact = store.Artifact

// Artifact returns an artifact with its data: to whoever sent it, and to those
// who may look at everybody's. For others it is not there.
func (s *Service) Artifact(ctx context.Context, by Actor, id errand.ArtifactID) (Artifact, []byte, error) {
	if err := s.may(by, rights.ArtifactsRead); err != nil {
		return Artifact{}, nil, err
	}
	a, err := s.Store.Artifact(ctx, errand.ArtifactID(strings.ToLower(string(id))))
	if err == nil && a.Person != by.Person && s.readsOthers(by) != nil {
		err = store.ErrNotFound
	}
	if err != nil {
		return Artifact{}, nil, Known(err)
	}
	data, err := s.Store.ArtifactData(ctx, a.ID)
	return a, data, Known(err)
}
