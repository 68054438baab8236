package commands

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

func (r *Runner) whoami(ctx context.Context, c chat, _ []string) (string, error) {
	if c.open {
		return c.inPrivate(), nil
	}
	list, err := ops.Do(ctx, r.deps.Runner, api.ListOwnIdentities, c.by, api.None{})
	if err != nil {
		return "", err
	}
	known := make([]string, len(list))
	for i, id := range list {
		known[i] = on(id.Channel, id.Account) + " " + id.ExternalID
	}
	lines := []string{
		c.Localize("whoami.person", "name", c.personName(), "id", string(c.by.Person)),
		c.Localize("whoami.role", "role", r.deps.RoleName(c.by.Role, c.Texts)),
		c.Localize("whoami.language", "language", c.Language().Name),
	}
	if len(known) > 0 {
		lines = append(lines, c.Localize("whoami.identities", "identities", strings.Join(known, ", ")))
	}
	return strings.Join(lines, "\n"), nil
}

// personName translates the default name of the owner.
func (c chat) personName() string {
	if c.by.Name == "Owner" && c.by.Person == "owner" {
		return c.Localize("role.owner")
	}
	return cmp.Or(c.by.Name, "?")
}

// usage counts whole days in UTC, as budgets do.
func (r *Runner) usage(ctx context.Context, c chat, _ []string) (string, error) {
	if c.open {
		return c.inPrivate(), nil
	}
	var spent [3]api.Amount
	for i, days := range []int{1, 7, 30} {
		used, err := ops.Do(ctx, r.deps.Runner, api.GetUsage, c.by, api.GetUsageInput{Days: days})
		if err != nil {
			return "", err
		}
		u := used.Total
		spent[i] = api.Amount{Calls: u.Calls, Tokens: u.InputTokens + u.OutputTokens, Cached: u.CachedTokens, Cost: u.Cost}
	}
	return strings.Join([]string{
		c.Localize("usage.today", "amount", c.amount(spent[0])),
		c.Localize("usage.week", "amount", c.amount(spent[1])),
		c.Localize("usage.month", "amount", c.amount(spent[2])),
	}, "\n"), nil
}

func (r *Runner) setLanguage(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		return c.Localize("language.now", "language", c.Language().Name, "languages", r.languages()), nil
	}
	found, ok := r.deps.Texts.Find(words[0])
	if !ok {
		return c.Localize("language.unknown", "language", core.Cut(words[0], 40), "languages", r.languages()), nil
	}
	var in api.ChangeMeInput
	in.Body.Language = &found.Tag
	if _, err := ops.Do(ctx, r.deps.Runner, api.ChangeMe, c.by, in); err != nil {
		return "", err
	}
	return r.deps.Texts.For(found.Tag).Localize("language.set", "language", found.Name), nil
}

func (r *Runner) languages() string {
	list := r.deps.Texts.Languages()
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = languageName(l)
	}
	return strings.Join(names, ", ")
}

func languageName(l texts.Language) string {
	if l.Name == l.Tag {
		return l.Tag
	}
	return l.Name + " (" + l.Tag + ")"
}

// pair lists pending requests for people who may decide them. Strangers never get here; see askIn.
func (r *Runner) pair(ctx context.Context, c chat, _ []string) (string, error) {
	if !r.deps.Allows(c.by, rights.Capability, rights.PairingsDecide) {
		return c.Localize("pair.known"), nil
	}
	if c.open {
		return c.inPrivate(), nil
	}
	list, err := ops.Do(ctx, r.deps.Runner, api.ListPairings, c.by, api.ListPairingsInput{Waiting: true})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range list {
		line := "pair.line"
		if p.Person != "" {
			line = "pair.known_line"
		}
		b.WriteString(c.Localize(line, "code", strings.ToUpper(p.Code), "name", cmp.Or(p.Name, "?"), "channel", on(p.Channel, p.Account),
			"sender", p.ExternalID, "person", string(p.Person)) + "\n")
	}
	if b.Len() == 0 {
		return c.Localize("pair.none"), nil
	}
	return b.String() + c.Localize("pair.foot"), nil
}

func on(channel, account string) string {
	if account == "" {
		return channel
	}
	return core.Account{Channel: channel, Name: account}.String()
}

func (r *Runner) approve(ctx context.Context, c chat, words []string) (string, error) {
	in := api.ApprovePairingInput{PairingCode: api.PairingCode{Code: words[0]}}
	if len(words) > 1 {
		name := strings.Join(words[1:], " ") // the name of a role may have several words
		role, ok := r.deps.ParseRole(name)
		if !ok {
			return c.Localize("approve.role", "role", core.Cut(name, 40), "roles", strings.Join(r.deps.RoleNames(c.Texts), ", ")), nil
		}
		in.Body.Role = r.deps.Rights.Name(role)
	}
	out, err := ops.Do(ctx, r.deps.Runner, api.ApprovePairing, c.by, in)
	var refusal *service.Error
	switch code := core.Cut(words[0], 40); {
	case errors.As(err, &refusal) && refusal.Kind == service.KindNotFound:
		return c.Localize("approve.none", "code", code), nil
	case errors.As(err, &refusal) && refusal.Kind == service.KindConflict:
		return c.Localize("approve.closed", "code", code), nil
	case err != nil:
		return "", err
	}
	return c.Localize("approve.done", "name", cmp.Or(out.Person.Name, string(out.Person.ID)), "role", r.deps.RoleName(out.Person.Role, c.Texts)), nil
}
