package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"errand"
	"errand/internal/store"
	"errand/internal/when"
)

const registeredPatience = time.Hour // for an agent that has gone to come back

// registeredPeer is the peer of a registered agent: the store, in which the agent finds its
// requests and leaves its answers.
type registeredPeer struct {
	*Activities
	work store.PeerWork
}

// Start offers the task.
func (r registeredPeer) Start(ctx context.Context, _ errand.PeerOrder) (errand.PeerTask, error) {
	err := r.Store.OfferRequest(ctx, r.work.Task, r.work.Agent)
	return errand.PeerTask{ID: string(errand.SubAgentOwner(r.work.Task, r.work.Agent)), State: errand.Working}, err
}

// Poll says that the agent is at work, as an answer is in the store by itself, or fails with a
// [goneError].
func (r registeredPeer) Poll(ctx context.Context, id string) (errand.PeerTask, error) {
	agent, err := r.Store.RegisteredAgent(ctx, r.work.OfferedTo, r.work.Agent)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errand.PeerTask{}, &goneError{r.work.Agent.Display() + " is not registered any more"}
	case err != nil:
		return errand.PeerTask{}, err
	case !agent.Connected && r.Store.Now().Sub(agent.Seen) >= registeredPatience && r.Store.Now().Sub(time.UnixMicro(r.work.Begun)) >= registeredPatience:
		p, err := r.Store.Person(ctx, r.work.OfferedTo)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return errand.PeerTask{}, err
		}
		return errand.PeerTask{}, &goneError{r.lastSeen(agent, p.TimeZone) + ", and has not come back within " + errand.Age(registeredPatience)}
	}
	return errand.PeerTask{ID: id, State: errand.Working}, nil
}

func (r registeredPeer) Answer(context.Context, errand.PeerTask, string, string) (errand.PeerTask, error) {
	return errand.PeerTask{}, errors.New("a registered agent asks nothing")
}

// Cancel does nothing: the agent is told that the task has ended when it shows up.
func (r registeredPeer) Cancel(context.Context, string) error { return nil }

// A goneError is that an agent is given up, and why.
type goneError struct{ why string }

func (e *goneError) Error() string { return e.why }

// lastSeen says since when a registered agent is not there, by the clocks of its person, who
// talks with the primary agent alone.
func (a *Activities) lastSeen(agent store.RegisteredAgent, zone string) string {
	seen, layout := agent.Seen.In(when.ZoneOr(zone, a.Zone)), "15:04"
	if a.Store.Now().Sub(seen) >= 20*time.Hour {
		layout = "2 January, 15:04"
	}
	return fmt.Sprintf("%s has not been connected since %s", agent.Name.Display(), seen.Format(layout))
}

// registeredFor is for how long an agent is on offer that is not there: what is on offer
// changes seldom, for providers keep the prompts that they have read.
const registeredFor = 24 * time.Hour

// readRegistered fills in which registered agents of the person the step may send on tasks:
// none but where the primary agent talks with that person alone.
func (a *Activities) readRegistered(ctx context.Context, b *store.StepInput) error {
	if b.Task != nil || b.Person == "" || b.Group || b.SessionKey.Shared() || b.Agent != a.rosterAt(b.Route).Primary().Name {
		return nil
	}
	list, err := a.Store.RegisteredAgents(ctx, b.Person)
	b.Registered = slices.DeleteFunc(list, func(r store.RegisteredAgent) bool {
		_, known := a.Roster.Agent(r.Name)
		return known // errand's own came later, and has the name
	})
	return err
}

func (a *Activities) registeredNames(b *store.StepInput) []errand.AgentName {
	var names []errand.AgentName
	for _, r := range b.Registered {
		if (r.Connected || a.Store.Now().Sub(r.Seen) < registeredFor) && a.inReach(b, r.Name) == nil {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	return names
}

func registeredAt(b *store.StepInput, name errand.AgentName) (store.RegisteredAgent, bool) {
	i := slices.IndexFunc(b.Registered, func(r store.RegisteredAgent) bool { return r.Name == name })
	if i < 0 {
		return store.RegisteredAgent{}, false
	}
	return b.Registered[i], true
}
