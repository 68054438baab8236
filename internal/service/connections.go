package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/rights"
)

// A ConnectionView is how the live connection of an account is.
type ConnectionView struct {
	Channel string                 `json:"channel"`
	Account string                 `json:"account"`
	Agent   errand.AgentName       `json:"agent" description:"that sessions on the account begin with"`
	State   errand.ConnectionState `json:"state"`
	Detail  string                 `json:"detail,omitempty" description:"what is wrong, or as whom it is connected"`
	Advice  string                 `json:"advice,omitempty" description:"what to do"`
	Since   time.Time              `json:"since,omitzero"`
	Owner   string                 `json:"owner,omitempty" description:"the worker that holds the connection"` // empty: none does
	// Link is what a phone has to scan: a secret, for those who may link accounts.
	Link string `json:"link,omitempty" description:"what a phone has to scan, for master_admins: a secret for as long as it is valid"`
}

// Connections lists the configured accounts, and how their connections are.
func (s *Service) Connections(ctx context.Context, by Actor) ([]ConnectionView, error) {
	if err := s.may(by, rights.ChannelsRead); err != nil {
		return nil, err
	}
	list, err := s.ConnectionStates(ctx)
	for i := range list {
		if s.may(by, rights.ChannelsLink) != nil {
			list[i].Link = ""
		}
	}
	return list, err
}

// ConnectionStates is Connections for errand itself.
func (s *Service) ConnectionStates(ctx context.Context) ([]ConnectionView, error) {
	known, err := s.Store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	list := []ConnectionView{}
	for _, a := range s.Accounts {
		v := ConnectionView{Channel: a.Channel, Account: a.Name, Agent: a.Agent, State: errand.Connecting}
		for _, c := range known {
			if c.Account == a.Account {
				v.State, v.Detail, v.Advice, v.Since, v.Owner, v.Link = c.State, c.Detail, c.Advice, c.Since, c.Owner, c.Link
			}
		}
		if v.Owner == "" {
			v.Detail = "no worker holds the connection"
		}
		if v.State == errand.Degraded && v.Advice == "" {
			v.Advice = "nothing has to be done: errand tries again by itself"
		}
		list = append(list, v)
	}
	return list, nil
}

// LinkCode returns a code that links an account when it is typed into the phone
// with a number: what is scanned instead is in [ConnectionView].
func (s *Service) LinkCode(ctx context.Context, by Actor, a errand.Account, phone string) (string, error) {
	if err := s.may(by, rights.ChannelsLink); err != nil {
		return "", err
	}
	list, err := s.ConnectionStates(ctx)
	if err != nil {
		return "", err
	}
	for _, c := range list {
		switch {
		case c.Channel != a.Channel || c.Account != a.Name:
		case c.Link == "" || s.PairCode == nil:
			return "", conflict("no_code", "refusal.no_code", "state", c.State)
		default:
			return s.PairCode(ctx, a, phone)
		}
	}
	return "", Refuse(KindNotFound, "not_found", "refusal.no_account")
}

// unheldFor is for how long nobody has to have held the connection of an account
// that is not configured before it is taken for gone. Another worker may have
// another errand.yaml, and needs some time to come back.
const unheldFor = time.Minute

// EnsureConnections sees to it that the live connection of each configured
// account is held by some worker, and that those of accounts that are gone are
// not. It may be called again at any time.
func (s *Service) EnsureConnections(ctx context.Context) error {
	var errs []error
	for _, a := range s.Accounts {
		errs = append(errs, s.Dispatch.StartConnection(ctx, a.Account))
	}
	known, err := s.Store.Connections(ctx)
	errs = append(errs, err)
	for _, c := range known {
		ours := slices.ContainsFunc(s.Accounts, func(a agents.Account) bool { return a.Account == c.Account })
		if !ours && c.Owner == "" && s.Now().Sub(c.Since) >= unheldFor {
			errs = append(errs, s.endConnection(ctx, c.Account))
		}
	}
	return errors.Join(errs...)
}

func (s *Service) endConnection(ctx context.Context, a errand.Account) error {
	if err := s.Dispatch.EndConnection(ctx, a); err != nil {
		return err
	}
	// Whoever has come for it meanwhile starts its workflow again.
	_, err := s.Store.ForgetConnection(ctx, a, unheldFor)
	return err
}
