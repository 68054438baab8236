package store

import (
	"fmt"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
)

var reserved = []string{"owner", "admin", "administrator", "errand", "operator", "system", "assistant", "the person", "user", "the user", "everyone", "somebody"}

// speaker returns the name of one of several speakers. If people could confuse the name with
// another person's, the role and id follow, as in "Owner (guest p-7k3)". They always follow for
// guests, who choose their names. A name cannot contain the brackets.
func (t *tx) speaker(id core.PersonID, p core.Person) (string, error) {
	name := oneLineName(p.Name)
	if p.Role.Includes(core.Member) && name != "" {
		unique, err := t.isUnique(id, p)
		if err != nil || unique {
			return name, err
		}
	}
	if name == "" {
		name = "somebody"
	}
	return fmt.Sprintf("%s (%s %s)", name, strings.ReplaceAll(string(p.Role), "_", " "), shortID(id)), nil
}

func (t *tx) isUnique(id core.PersonID, p core.Person) (bool, error) {
	skeleton := content.Skeleton(p.Name)
	for _, r := range reserved {
		if content.Skeleton(r) == skeleton && p.Role != core.MasterAdmin {
			return false, nil
		}
	}
	other, err := t.namesake(id, skeleton)
	return other == "", err
}

func shortID(id core.PersonID) string {
	if rest, ok := strings.CutPrefix(string(id), "p-"); ok && len(rest) > 3 {
		return "p-" + rest[:3]
	}
	return content.Line(string(id))
}

// ownName returns the name of a new sender. If it looks like the name of a known person, it is
// followed by the sender's id.
func (t *tx) ownName(p core.Person) (string, error) {
	if p.Name == "" {
		return "", nil
	}
	other, err := t.namesake(p.ID, content.Skeleton(p.Name))
	if err != nil || other == "" {
		return p.Name, err
	}
	return p.Name + " (" + shortID(p.ID) + ")", nil
}

func (t *tx) namesake(id core.PersonID, skeleton string) (other core.PersonID, err error) {
	_, err = t.Value(&other, `SELECT id FROM people WHERE skeleton = ? AND id <> ? LIMIT 1`, skeleton, id)
	return other, err
}
