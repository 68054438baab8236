package service

import (
	"context"

	"errand/internal/rights"
	"errand/internal/store"
)

// RunMaintenance has maintenance run now, or after the run that is under way. It
// does not wait for it: see [Service.Maintenance].
func (s *Service) RunMaintenance(ctx context.Context, by Actor) error {
	if err := s.may(by, rights.MaintenanceRun); err != nil {
		return err
	}
	return s.Dispatch.RunMaintenance(ctx)
}

// An UpkeepRun is one run of maintenance, and what it did.
type UpkeepRun = store.Upkeep

// Maintenance lists what the latest runs did, the newest first.
func (s *Service) Maintenance(ctx context.Context, by Actor, limit int) ([]UpkeepRun, error) {
	if err := s.may(by, rights.MaintenanceRead); err != nil {
		return nil, err
	}
	return s.Store.Upkeeps(ctx, limit)
}
