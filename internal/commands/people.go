package commands

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

func (r *Runner) whoami(ctx context.Context, c chat, _ []string) (string, error) {
	if c.open {
		return c.inPrivate(), nil
	}
	list, err := r.service.Identities(ctx, c.by)
	if err != nil {
		return "", err
	}
	known := make([]string, len(list))
	for i, id := range list {
		known[i] = on(id.Channel, id.Account) + " " + id.ExternalID
	}
	lines := []string{
		c.Localize("whoami.person", "name", c.personName(), "id", string(c.by.Person)),
		c.Localize("whoami.role", "role", r.service.RoleName(c.by.Role, c.Texts)),
		c.Localize("whoami.language", "language", c.Language().Name),
	}
	if len(known) > 0 {
		lines = append(lines, c.Localize("whoami.identities", "identities", strings.Join(known, ", ")))
	}
	return strings.Join(lines, "\n"), nil
}

// personName is what people call who asks; the installation's own person has its name by errand.
func (c chat) personName() string {
	if c.by.Name == "Owner" && c.by.Person == "owner" {
		return c.Localize("role.owner")
	}
	return cmp.Or(c.by.Name, "?")
}

// usage tells what the person has used, with all their tasks; days are UTC's, as
// those of the budgets.
func (r *Runner) usage(ctx context.Context, c chat, _ []string) (string, error) {
	if c.open {
		return c.inPrivate(), nil
	}
	var spent [3]store.Amount
	for i, days := range []int{1, 7, 30} {
		list, err := r.service.Usage(ctx, c.by, "", r.service.Now().AddDate(0, 0, 1-days))
		if err != nil {
			return "", err
		}
		for _, u := range list {
			spent[i].Calls += u.Calls
			spent[i].Tokens += u.InputTokens + u.OutputTokens
			spent[i].Cached += u.CachedTokens
			spent[i].Cost += u.Cost
		}
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
	found, ok := r.service.Texts.Find(words[0])
	if !ok {
		return c.Localize("language.unknown", "language", errand.Cut(words[0], 40), "languages", r.languages()), nil
	}
	if err := r.service.SetLanguage(ctx, c.by, c.by.Person, found.Tag); err != nil {
		return "", err
	}
	return r.service.Texts.For(found.Tag).Localize("language.set", "language", found.Name), nil
}

// languages are those that are offered: "English (en), Español (es)".
func (r *Runner) languages() string {
	list := r.service.Texts.Languages()
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

// pair tells those who decide who waits to be let in, and everybody else that
// they are in. Whoever is not never gets here: see askIn.
func (r *Runner) pair(ctx context.Context, c chat, _ []string) (string, error) {
	if !r.service.Allows(c.by, rights.Capability, rights.PairingsDecide) {
		return c.Localize("pair.known"), nil
	}
	if c.open {
		return c.inPrivate(), nil
	}
	list, err := r.service.Pairings(ctx, c.by, true)
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

// on is a channel with the account of ours: "telegram/main".
func on(channel, account string) string {
	if account == "" {
		return channel
	}
	return errand.Account{Channel: channel, Name: account}.String()
}

// approve lets somebody in.
func (r *Runner) approve(ctx context.Context, c chat, words []string) (string, error) {
	var role errand.Role
	if len(words) > 1 {
		name := strings.Join(words[1:], " ") // an installation's names may have several words
		var ok bool
		if role, ok = r.service.ParseRole(name); !ok {
			return c.Localize("approve.role", "role", errand.Cut(name, 40), "roles", strings.Join(r.service.RoleNames(c.Texts), ", ")), nil
		}
	}
	_, person, err := r.service.Approve(ctx, c.by, words[0], role, "")
	var refusal *service.Error
	switch code := errand.Cut(words[0], 40); {
	case errors.As(err, &refusal) && refusal.Kind == service.KindNotFound:
		return c.Localize("approve.none", "code", code), nil
	case errors.As(err, &refusal) && refusal.Kind == service.KindConflict:
		return c.Localize("approve.closed", "code", code), nil
	case err != nil:
		return "", err
	}
	return c.Localize("approve.done", "name", cmp.Or(person.Name, string(person.ID)), "role", r.service.RoleName(person.Role, c.Texts)), nil
}
