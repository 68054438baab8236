package rights

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"errand"
)

var update = flag.Bool("update", false, "write docs/rights.md")

const doc = "../../docs/rights.md"

// TestDoc proves that docs/rights.md is the table. -update writes it.
func TestDoc(t *testing.T) {
	want := page(Default())
	if *update {
		if err := os.WriteFile(doc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/rights.md is not the table: go test ./internal/rights -update writes it")
	}
}

func page(t *Table) string {
	var b strings.Builder
	b.WriteString("# Who may do what\n\nThe roles are " + roles() + ": each includes those before it. This is the table of `internal/rights/table.go`;\n" +
		"`rights:` in errand.yaml changes the least role of an entry, `roles:` what the roles are called.\n" +
		"What is not in the table only a master_admin may do. An agent is open to everybody unless the roster gives it a role.\n" +
		"A member and a guest see what is their own, a partner and a master_admin may look at everybody's.\n" +
		"Group sessions are those that the people of a group share (`sessions.group_sessions: shared`): whoever may use a command does so there\n" +
		"with what they have asked for themselves, and with what is everybody's, or another's, from the role that is shown there.\n" +
		"In a group no command tells what is of another chat, or of a person alone.\n")
	for _, k := range []Kind{Tool, Command, GroupSession, Route} {
		name := strings.ReplaceAll(string(k), "_", " ")
		fmt.Fprintf(&b, "\n## %ss\n\n| %s | from | what it is |\n|---|---|---|\n", strings.ToUpper(name[:1])+name[1:], name)
		for _, r := range t.Rules() {
			if r.Kind == k {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, r.Least, r.About)
			}
		}
	}
	return b.String()
}

func roles() string { return strings.Join(errand.Strings(errand.Roles()), " < ") }

// TestMatrix walks the whole table with every role: what a role may do, every
// higher role may do too, and nobody below its least role may.
func TestMatrix(t *testing.T) {
	table := Default()
	for _, rule := range table.Rules() {
		if !rule.Least.Valid() || rule.About == "" {
			t.Errorf("%s %s: least role %q, about %q", rule.Kind, rule.Name, rule.Least, rule.About)
		}
		allowed := false
		for _, role := range errand.Roles() {
			may := table.May(role, rule.Kind, rule.Name)
			if allowed && !may {
				t.Errorf("%s %s: a lesser role than %s may, it may not", rule.Kind, rule.Name, role)
			}
			if may && !role.Includes(rule.Least) {
				t.Errorf("%s may %s %s, which is from %s", role, rule.Kind, rule.Name, rule.Least)
			}
			allowed = allowed || may
		}
		if !allowed {
			t.Errorf("nobody may %s %s", rule.Kind, rule.Name)
		}
		for _, nobody := range []errand.Role{"", "root", "MASTER_ADMIN", "guest "} {
			if table.May(nobody, rule.Kind, rule.Name) {
				t.Errorf("role %q, which there is not, may %s %s", nobody, rule.Kind, rule.Name)
			}
		}
	}
}

// TestUnknown proves that what the table does not know fails closed.
func TestUnknown(t *testing.T) {
	table := Default()
	for _, k := range []Kind{Tool, Command, Route} {
		if table.May(errand.Partner, k, "made-up") || !table.May(errand.MasterAdmin, k, "made-up") {
			t.Errorf("an unknown %s is not for the master_admin alone", k)
		}
		if err := table.Set(k, "made-up", errand.Guest); err == nil {
			t.Errorf("an unknown %s can be opened", k)
		}
	}
	if !table.May(errand.Guest, Agent, "nikki") {
		t.Error("an agent without a role is closed to guests")
	}
	if err := table.Set(Agent, "finn", "boss"); err == nil {
		t.Error("a role that does not exist was taken")
	}
}

// TestNames proves that roles go by the installation's names and by errand's.
func TestNames(t *testing.T) {
	table := Default()
	if err := table.Rename(errand.Member, "Colleague"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"colleague", "member", " Member "} {
		if r, ok := table.Parse(name); !ok || r != errand.Member {
			t.Errorf("%q is %q, %v", name, r, ok)
		}
	}
	if err := table.Rename(errand.Guest, "colleague"); err == nil {
		t.Error("two roles have one name")
	}
	if _, ok := table.Parse("boss"); ok {
		t.Error("there is a boss")
	}
}
