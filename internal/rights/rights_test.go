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
	b.WriteString("# Who may do what\n\nThe roles are " + roles() + ": each includes those before it. This is the table of `internal/rights/`;\n" +
		"`rights:` in errand.yaml changes the least role of an entry, `roles:` what the roles are called.\n" +
		"Each thing that can be done needs a capability, whatever door somebody comes in by. A command and a route have the role of theirs:\n" +
		"changed for one, it is changed for all that need the same. Two that are given different roles are refused; `rights.capabilities` says it for both.\n" +
		"What an agent may do for somebody is decided by the role of the tool, and so it is with `/help` and `/pair`, which have their own.\n" +
		"Tools may be named by pattern (`github.*`), and the longest that stands for one decides. See [tools.md](tools.md).\n" +
		"What is not in the table only an admin may do. An agent is open to everybody unless the roster gives it a role.\n" +
		"Capabilities are about what is one's own. What is others' needs `others.read` or `others.change` besides.\n" +
		"Group sessions are those that the people of a group share (`sessions.group_sessions: shared`): whoever may use a command does so there\n" +
		"with what they have asked for themselves, and with what is everybody's, or another's, from the role that is shown there.\n" +
		"In a group no command tells what is of another chat, or of a person alone.\n")
	b.WriteString("\n## Capabilities\n\n| capability | from | to | by |\n|---|---|---|---|\n")
	for _, c := range t.Rules() {
		if c.Kind != Capability {
			continue
		}
		var by []string
		for _, r := range t.Rules() {
			if r.Needs == c.Name && r.Kind != GroupSession {
				by = append(by, "`"+r.Name+"`")
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, strings.ToLower(c.Least.Display()), c.About, strings.Join(by, ", "))
	}
	for _, k := range []Kind{Tool, Command, GroupSession, Route} {
		name := strings.ReplaceAll(string(k), "_", " ")
		fmt.Fprintf(&b, "\n## %ss\n\n| %s | needs | from | what it is |\n|---|---|---|---|\n", strings.ToUpper(name[:1])+name[1:], name)
		for _, r := range t.Rules() {
			if r.Kind == k {
				fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", r.Name, r.Needs, strings.ToLower(r.Least.Display()), r.About)
			}
		}
	}
	return b.String()
}

func roles() string { return strings.Join(Default().Names(), " < ") }

// TestMatrix walks the whole table with every role: what a role may do, every
// higher role may do too, and nobody below its least role may.
func TestMatrix(t *testing.T) {
	table := Default()
	for _, rule := range table.Rules() {
		if named := rule.Kind == Capability || table.Has(Capability, rule.Needs); !named || !rule.Least.Valid() || rule.About == "" {
			t.Errorf("%s %s: least role %q, needs %q, about %q", rule.Kind, rule.Name, rule.Least, rule.Needs, rule.About)
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

// TestOneCapability proves that what needs the same capability has one role, however
// it is set, and that two are refused by name.
func TestOneCapability(t *testing.T) {
	table := Default()
	if err := table.Set(Route, "GET /api/tasks", errand.Partner); err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rules() {
		if r.Kind != Tool && (r.Needs == TasksRead || r.Name == TasksRead) && table.Least(r.Kind, r.Name) != errand.Partner {
			t.Errorf("%s %s is from %s", r.Kind, r.Name, table.Least(r.Kind, r.Name))
		}
	}
	if table.Least(Tool, "get_task") != errand.Member {
		t.Error("a tool has the role of a route")
	}
	for _, same := range []Rule{{Kind: Command, Name: "/tasks"}, {Kind: Capability, Name: TasksRead}, {Kind: Route, Name: "GET /api/tasks"}} {
		if err := table.Set(same.Kind, same.Name, errand.Partner); err != nil {
			t.Errorf("%s: %v", same.Name, err)
		}
	}
	err := table.Set(Route, "GET /api/tasks/{id}", errand.Guest)
	if err == nil || !strings.Contains(err.Error(), "/tasks is for partner and GET /api/tasks/{id} for guest, but both need the capability tasks.read") ||
		!strings.Contains(err.Error(), "rights.capabilities: {tasks.read: partner}") {
		t.Errorf("two roles for one capability: %v", err)
	}
	if err := table.Set(Command, "/help", errand.Member); err != nil || table.Least(Capability, SelfRead) != errand.Guest {
		t.Errorf("what has a role of its own changed that of others: %v", err)
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

// TestToolPatterns proves that a tool that the table does not name has the role of the
// longest pattern that stands for it, and one that it names its own.
func TestToolPatterns(t *testing.T) {
	table := Default()
	for name, role := range map[string]errand.Role{"*": errand.Partner, "github.*": errand.Member, "github.delete_*": errand.MasterAdmin, "github.delete_label": errand.Guest} {
		if err := table.Set(Tool, name, role); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name      string
		own, want errand.Role
	}{
		{"github.create_issue", "", errand.Member},
		{"github.create_issue", errand.Partner, errand.Partner},
		{"github.create_issue", errand.Guest, errand.Member},
		{"github.delete_repo", "", errand.MasterAdmin},
		{"github.delete_label", "", errand.Guest},
		{"files.read", "", errand.Partner},
		{"recall", "", errand.Guest},
		{"recall", errand.Member, errand.Member},
	} {
		if got := table.LeastTool(c.name, c.own); got != c.want {
			t.Errorf("%s, itself for %q: from %q, want %q", c.name, c.own, got, c.want)
		}
	}
	plain := Default()
	for own, want := range map[errand.Role]errand.Role{"": errand.MasterAdmin, errand.Member: errand.Member} {
		if got := plain.LeastTool("github.create_issue", own); got != want {
			t.Errorf("a tool that nobody named, itself for %q: from %q, want %q", own, got, want)
		}
	}
	if err := plain.Set(Tool, "no_such_tool", errand.Guest); err == nil {
		t.Error("a role was set for a built-in tool that there is not")
	}
}
