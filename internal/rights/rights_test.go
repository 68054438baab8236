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

const intro = `# Who may do what

The roles are %s. Each includes those before it. This is the table of ` + "`internal/rights/`" + `. ` + "`rights:`" + ` in
errand.yaml changes the least role of an entry, and ` + "`roles:`" + ` the names of the roles.

- Each thing that can be done needs a capability, at every door. Commands and routes have the role of their capability: a change for one changes it
  for all. errand refuses two different roles for one capability.
- The role of a tool decides what an agent may do for a person. ` + "`/help` and `/pair`" + ` have roles of their own too.
- Tools may be named by pattern (` + "`github.*`" + `); the longest pattern decides. See [tools.md](tools.md).
- Entries that are not in the table are for admins. An agent is open to everybody unless the roster gives it a role.
- A capability is about a person's own things. Other people's things need ` + "`others.read` or `others.change`" + ` as well.
- In a group session (` + "`sessions.group_sessions: shared`" + `) people use commands for what they asked for themselves. For what belongs to others or to
  everybody, the table of group sessions has the role. In a group no command shows anything of another chat.
`

func page(t *Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, roles())
	b.WriteString("\n## Capabilities\n\n| capability | from | to |\n|---|---|---|\n")
	for _, c := range t.Rules() {
		if c.Kind == Capability {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, least(c), c.About)
		}
	}
	for _, k := range []Kind{Tool, Command, GroupSession} {
		name := strings.ReplaceAll(string(k), "_", " ")
		fmt.Fprintf(&b, "\n## %ss\n\n| %s | needs | from | what it is |\n|---|---|---|---|\n", strings.ToUpper(name[:1])+name[1:], name)
		for _, r := range t.Rules() {
			if r.Kind == k {
				fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", r.Name, r.Needs, least(r), r.About)
			}
		}
	}
	b.WriteString("\n## Routes\n\nThe API's document, `/api/openapi.json`, describes its operations. The others are pages and doors.\n\n| route | needs | from |\n|---|---|---|\n")
	for _, r := range t.Rules() {
		if r.Kind == Route {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", r.Name, r.Needs, least(r))
		}
	}
	return b.String()
}

func least(r Rule) string { return strings.ToLower(r.Least.Display()) }

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
