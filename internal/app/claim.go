package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"errand/activities"
	"errand/internal/config"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/temporal/dispatch"
)

const (
	workTTL    = 10 * time.Second // after this time without renewal a worker counts as dead
	workSlack  = 2 * time.Second  // in which a worker that cannot renew ends what it does
	renewEvery = 3 * time.Second
	claimEvery = time.Minute // between checks of the namespace's claim
)

// A claimer ties one store to one Temporal namespace. If workers of two stores shared a namespace,
// or workers of one store used two, they would do each other's work.
type claimer struct {
	client   client.Client
	store    *store.Store
	worker   store.Worker
	attempts *activities.Attempts
	liveness *activities.Liveness
	mu       sync.Mutex  // guards place
	place    store.Place // its Claim is the run id of the Claim workflow
	claiming sync.Mutex  // one reclaim runs at a time
	takeOver bool
}

// claim returns an error that names the other holder of the namespace or the store, and what to do.
// It keeps the claim until Stop.
func (a *App) claim(ctx context.Context, o Options, embedded bool) error {
	cfg := o.Config
	address := cfg.Temporal.Address
	if embedded {
		address = fmt.Sprintf("%s:%d", devserver.DefaultHost, cfg.TemporalPort)
	}
	c := &claimer{
		client: a.Client, store: a.Store, attempts: a.attempts, liveness: &a.liveness, takeOver: o.TakeOver,
		worker: store.Worker{ID: a.owner, Home: home(cfg), TTL: workTTL},
		place:  store.Place{Address: address, Namespace: namespace(cfg), Embedded: embedded},
	}
	if err := c.claimNamespace(ctx); err != nil {
		return c.explain(err, cfg)
	}
	from, err := c.enter(ctx, func(e *store.PlaceInUseError) {
		fmt.Fprintf(o.Out, "The worker %s used this store until %s. Waiting to see whether it still runs\n", e.Worker, e.Place)
	})
	if err != nil {
		return c.explain(err, cfg)
	}
	if from.Claim != "" {
		a.log.Warn("the store now belongs to another Temporal, or to a new database of the same one; open work continues from the store", "from", from, "to", c.place)
	}
	a.keep(c, cfg)
	return nil
}

// home is unique to one process, see LockData.
func home(cfg *config.Config) string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	dir, err := filepath.Abs(cfg.Data)
	if err != nil {
		dir = cfg.Data
	}
	return host + ":" + dir
}

func (c *claimer) claimNamespace(ctx context.Context) error {
	run, err := dispatch.ClaimNamespace(ctx, c.client, c.store.ID(), c.takeOver)
	if err != nil {
		return err
	}
	c.setClaim(run)
	return nil
}

// enter claims the store. A killed worker of another installation counts as alive for a while. So
// enter waits, and fails only if that worker renews its claim.
func (c *claimer) enter(ctx context.Context, waits func(*store.PlaceInUseError)) (store.Place, error) {
	var seen *store.PlaceInUseError
	for {
		asked := time.Now()
		from, err := c.store.RegisterWorker(ctx, c.worker, c.place, c.takeOver)
		if err == nil {
			c.liveness.Extend(asked.Add(workTTL - workSlack))
		}
		var inUse *store.PlaceInUseError
		if !errors.As(err, &inUse) {
			return from, err
		}
		switch {
		case seen == nil:
			seen = inUse
			waits(inUse)
		case inUse.Worker != seen.Worker || !inUse.Until.Equal(seen.Until):
			return from, err
		}
		select {
		case <-ctx.Done():
			return from, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func (c *claimer) explain(err error, cfg *config.Config) error {
	var namespace *dispatch.NamespaceInUseError
	var inUse *store.PlaceInUseError
	var moved *store.PlaceMovedError
	switch {
	case errors.As(err, &namespace) && c.place.Embedded:
		return fmt.Errorf("the embedded Temporal's database in %s is not of this store: %w, this one is %s: use the DATABASE_URL or errand.db that belongs to it, "+
			`or run "errand upgrade", which sets Temporal's database aside`, cfg.Data, err, c.store.ID())
	case errors.As(err, &namespace):
		return fmt.Errorf("%s cannot be used: %w, this one is %s: give this store a namespace of its own (TEMPORAL_NAMESPACE); "+
			"if the other store is gone for good, start once with --take-over", c.place, err, c.store.ID())
	case errors.As(err, &inUse):
		return fmt.Errorf("%w: two Temporals would do everything twice; set TEMPORAL_ADDRESS, and TEMPORAL_NAMESPACE, to the same for all workers of a database "+
			"(for an embedded one `errand env` prints them), or stop the other worker", err)
	case errors.As(err, &moved):
		return fmt.Errorf("%w, and this worker was started for %s: set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE as before; "+
			"to move the store here for good, start once with --take-over: what is open goes on from the store", err, c.place)
	}
	return explainMissingNamespace(err)
}

func explainMissingNamespace(err error) error {
	var gone *serviceerror.NamespaceNotFound
	if !errors.As(err, &gone) {
		return err
	}
	return fmt.Errorf("%w: Temporal has no such namespace, or not any more: make it with `temporal operator namespace create --namespace %s`, "+
		"or set TEMPORAL_NAMESPACE, and start errand: what is open goes on from the store", err, gone.Namespace)
}

// keep renews the claim until Stop. It ends the process if another worker took over. The namespace is
// checked beside that, because Temporal may not answer for longer than a worker lives.
func (a *App) keep(c *claimer, cfg *config.Config) {
	ctx, cancel := context.WithCancel(context.Background())
	var kept sync.WaitGroup
	every := func(interval time.Duration, do func(context.Context) error) {
		kept.Go(func() {
			for ctx.Err() == nil {
				select {
				case <-ctx.Done():
					return
				case <-time.After(interval):
				}
				err := do(ctx)
				switch {
				case err == nil || ctx.Err() != nil:
				case errors.Is(err, store.ErrPlaceLost), errors.As(err, new(*dispatch.NamespaceInUseError)), errors.As(err, new(*store.PlaceInUseError)):
					a.fail(fmt.Errorf("this worker ends, its work was taken over: %w", c.explain(err, cfg)))
					return
				default:
					a.log.Warn("claim on store and namespace not renewed; errand will try again", "error", err)
				}
			}
		})
	}
	every(renewEvery, c.renew)
	every(claimEvery, c.reclaim)
	a.stopWith(func(ctx context.Context) {
		cancel()
		kept.Wait()
		if err := a.Store.DeregisterWorker(ctx, c.worker.ID); err != nil {
			a.log.Warn("worker not removed from the store's list", "error", err)
		}
	})
}

func (c *claimer) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, renewEvery)
	defer cancel()
	asked := time.Now()
	place := c.claimed()
	expired, err := c.store.RenewWorker(ctx, c.worker, place)
	if expired {
		c.attempts.Expire()
	}
	if err == nil {
		c.liveness.Extend(asked.Add(workTTL - workSlack))
	}
	if !errors.Is(err, store.ErrPlaceLost) {
		return err
	}
	// Another worker may have noticed first that the namespace has a new database.
	if failed := c.reclaim(ctx); failed != nil || c.claimed() == place {
		return errors.Join(failed, err)
	}
	return nil
}

func (c *claimer) claimed() store.Place {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.place
}

func (c *claimer) setClaim(run string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.place.Claim = run
}

// reclaim restores a claim that was ended or that was lost with Temporal's database.
func (c *claimer) reclaim(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, claimEvery/2)
	defer cancel()
	c.claiming.Lock()
	defer c.claiming.Unlock()
	before := c.claimed()
	c.takeOver = false // applies only at the start
	err := c.claimNamespace(ctx)
	if errors.As(err, new(*dispatch.NamespaceInUseError)) {
		return err
	}
	now := c.claimed()
	if err != nil || now == before {
		return nil // Temporal may be unreachable, which is reported elsewhere
	}
	if _, err = c.store.RegisterWorker(ctx, c.worker, now, false); err != nil {
		c.setClaim(before.Claim) // the store does not have the new claim: the next check retries
	}
	return err
}
