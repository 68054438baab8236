package gateway

import (
	"cmp"
	"context"
	"strings"
)

// whoami tells a person what is known of them.
func (g *Gateway) whoami(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := g.Store.Identities(ctx, c.by.Person)
	if err != nil {
		return "", err
	}
	known := make([]string, len(list))
	for i, id := range list {
		known[i] = id.Channel + " " + id.ExternalID
	}
	lines := []string{
		c.Say("whoami.person", "name", cmp.Or(c.by.Name, "?"), "id", string(c.by.Person)),
		c.Say("whoami.role", "role", g.Rights.Name(c.by.Role)),
		c.Say("whoami.language", "language", c.Language().Name),
	}
	if len(known) > 0 {
		lines = append(lines, c.Say("whoami.identities", "identities", strings.Join(known, ", ")))
	}
	return strings.Join(lines, "\n"), nil
}
