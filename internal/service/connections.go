package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rsc.io/qr"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
)

// Channels has the operations on errand's accounts on platforms.
type Channels struct {
	*Env
	accounts agents.Accounts
	pairCode func(ctx context.Context, a core.Account, phone string) (string, error) // nil: no platform has codes
}

func (c *Channels) bind(r *ops.Runner) {
	ops.Bind(r, api.ListChannels, c.list)
	ops.Bind(r, api.GetChannelQR, c.qr)
	ops.Bind(r, api.CreateChannelCode, c.code)
}

func (c *Channels) list(ctx context.Context, by actor.Actor, _ api.None) ([]api.Connection, error) {
	list, err := connections(ctx, c.Store, c.accounts)
	for i := range list {
		if !c.Allows(by, rights.Capability, rights.ChannelsLink) {
			list[i].Link = ""
		}
	}
	return list, err
}

// qr draws the picture that a phone scans to link an account. The picture is a secret while it is
// valid.
func (c *Channels) qr(ctx context.Context, _ actor.Actor, in api.Account) (api.File, error) {
	account, err := c.account(ctx, in)
	if err != nil {
		return api.File{}, err
	}
	if account.Link == "" {
		return api.File{}, Refuse(KindNotFound, "not_found", "refusal.nothing_to_scan")
	}
	code, err := qr.Encode(account.Link, qr.M)
	if err != nil {
		return api.File{}, fmt.Errorf("draw the code: %w", err)
	}
	return api.File{Reader: bytes.NewReader(code.PNG())}, nil
}

// code returns a code that links an account when the person types it into the phone with that
// number.
func (c *Channels) code(ctx context.Context, _ actor.Actor, in api.CreateChannelCodeInput) (out api.ChannelCode, err error) {
	account, err := c.account(ctx, in.Account)
	switch {
	case err != nil:
		return out, err
	case account.Link == "" || c.pairCode == nil:
		return out, conflict("no_code", "refusal.no_code", "state", account.State)
	}
	out.Code, err = c.pairCode(ctx, core.Account{Channel: in.Channel, Name: in.Account.Account}, in.Body.Phone)
	return out, err
}

func (c *Channels) account(ctx context.Context, a api.Account) (api.Connection, error) {
	list, err := connections(ctx, c.Store, c.accounts)
	if err != nil {
		return api.Connection{}, err
	}
	for _, known := range list {
		if known.Channel == a.Channel && known.Account == a.Account {
			return known, nil
		}
	}
	return api.Connection{}, Refuse(KindNotFound, "not_found", "refusal.no_account")
}

func connections(ctx context.Context, st *store.Store, accounts agents.Accounts) ([]api.Connection, error) {
	known, err := st.Connections(ctx)
	if err != nil {
		return nil, err
	}
	list := []api.Connection{}
	for _, a := range accounts {
		v := api.Connection{Channel: a.Channel, Account: a.Name, Agent: a.Agent, State: core.Connecting}
		for _, c := range known {
			if c.Account == a.Account {
				v.State, v.Detail, v.Advice, v.Since, v.Owner, v.Link = c.State, c.Detail, c.Advice, c.Since, c.Owner, c.Link
			}
		}
		if v.Owner == "" {
			v.Detail = "no worker holds the connection"
		}
		if v.State == core.Degraded && v.Advice == "" {
			v.Advice = "nothing to do: errand tries again by itself"
		}
		list = append(list, v)
	}
	return list, nil
}

// unheldFor is how long an account without configuration must be without a worker before errand
// forgets it. Another worker may have another errand.yaml, and needs time to restart.
const unheldFor = time.Minute

// EnsureConnections makes workers hold the live connections of all configured accounts, and of no
// others. Repeated calls are safe.
func (i *Internal) EnsureConnections(ctx context.Context) error {
	var errs []error
	for _, a := range i.Accounts {
		errs = append(errs, i.Dispatch.StartConnection(ctx, a.Account))
	}
	known, err := i.Store.Connections(ctx)
	errs = append(errs, err)
	for _, c := range known {
		ours := slices.ContainsFunc(i.Accounts, func(a agents.Account) bool { return a.Account == c.Account })
		if !ours && c.Owner == "" && i.Now().Sub(c.Since) >= unheldFor {
			errs = append(errs, i.endConnection(ctx, c.Account))
		}
	}
	return errors.Join(errs...)
}

func (i *Internal) endConnection(ctx context.Context, a core.Account) error {
	if err := i.Dispatch.EndConnection(ctx, a); err != nil {
		return err
	}
	// If a worker takes the account meanwhile, it starts the workflow again.
	_, err := i.Store.ForgetConnection(ctx, a, unheldFor)
	return err
}
