package store

import (
	"fmt"
	"strings"

	"errand"
	"errand/internal/content"
)

// reserved are names that somebody cannot speak under without saying who they are.
var reserved = []string{"owner", "admin", "administrator", "errand", "operator", "system", "assistant", "the person", "everyone", "somebody"}

// speaker is what somebody is called where several speak: by the name they have
// chosen, and behind it who they are if that name may be taken for somebody else's,
// as in "Owner (guest p-7k3)". A guest's may always be: guests choose their names,
// and others with the same may come later. Nobody can write the brackets themselves.
func (t *tx) speaker(id errand.PersonID, p Person) (string, error) {
	name := oneLineName(p.Name)
	if p.Role.Includes(errand.Member) && name != "" {
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

// isUnique reports whether nobody else has a name that looks like p's.
func (t *tx) isUnique(id errand.PersonID, p Person) (bool, error) {
	skeleton := content.Skeleton(p.Name)
	for _, r := range reserved {
		// The one who is called so by right is the one who may do everything.
		if content.Skeleton(r) == skeleton && p.Role != errand.MasterAdmin {
			return false, nil
		}
	}
	other, err := t.namesake(id, skeleton)
	return other == "", err
}

// shortID is enough of an id to tell namesakes apart: "p-7k3".
func shortID(id errand.PersonID) string {
	if rest, ok := strings.CutPrefix(string(id), "p-"); ok && len(rest) > 3 {
		return "p-" + rest[:3]
	}
	return content.Line(string(id))
}

// ownName is the name of somebody who comes in by themselves: if it looks like that
// of somebody who is known, it says that it is not theirs.
func (t *tx) ownName(p Person) (string, error) {
	if p.Name == "" {
		return "", nil
	}
	other, err := t.namesake(p.ID, content.Skeleton(p.Name))
	if err != nil || other == "" {
		return p.Name, err
	}
	return p.Name + " (" + shortID(p.ID) + ")", nil
}

// namesake is somebody else whose name has the same skeleton; empty: nobody.
func (t *tx) namesake(id errand.PersonID, skeleton string) (other errand.PersonID, err error) {
	_, err = t.Value(&other, `SELECT id FROM people WHERE skeleton = ? AND id <> ? LIMIT 1`, skeleton, id)
	return other, err
}
