package rights

import (
	"strings"
	"testing"

	"errand/internal/core"
)

// TestMatrix walks the whole table with every role: what a role may do, every
// higher role may do too, and nobody below its least role may.
func TestMatrix(t *testing.T) {
	table := New()
	for _, rule := range table.Rules() {
		if named := rule.Kind == Capability || table.Has(Capability, rule.Needs); !named || !rule.Least.Valid() || rule.About == "" {
			t.Errorf("%s %s: least role %q, needs %q, about %q", rule.Kind, rule.Name, rule.Least, rule.Needs, rule.About)
		}
		allowed := false
		for _, role := range core.Roles() {
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
		for _, nobody := range []core.Role{"", "root", "MASTER_ADMIN", "guest "} {
			if table.May(nobody, rule.Kind, rule.Name) {
				t.Errorf("role %q, which there is not, may %s %s", nobody, rule.Kind, rule.Name)
			}
		}
	}
}

// TestOneCapability proves that what needs the same capability has one role, however
// it is set, and that two are refused by name.
func TestOneCapability(t *testing.T) {
	table := New(Rule{Kind: Route, Name: "GET /api/tasks", Needs: TasksRead}, Rule{Kind: Route, Name: "GET /api/tasks/{id}", Needs: TasksRead})
	if err := table.Set(Route, "GET /api/tasks", core.Partner); err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rules() {
		if r.Kind != Tool && (r.Needs == TasksRead || r.Name == TasksRead) && table.Least(r.Kind, r.Name) != core.Partner {
			t.Errorf("%s %s is from %s", r.Kind, r.Name, table.Least(r.Kind, r.Name))
		}
	}
	if table.Least(Tool, "get_task") != core.Member {
		t.Error("a tool has the role of a route")
	}
	for _, same := range []Rule{{Kind: Command, Name: "/tasks"}, {Kind: Capability, Name: TasksRead}, {Kind: Route, Name: "GET /api/tasks"}} {
		if err := table.Set(same.Kind, same.Name, core.Partner); err != nil {
			t.Errorf("%s: %v", same.Name, err)
		}
	}
	err := table.Set(Route, "GET /api/tasks/{id}", core.Guest)
	if err == nil || !strings.Contains(err.Error(), "/tasks is for partner and GET /api/tasks/{id} for guest, but both need the capability tasks.read") ||
		!strings.Contains(err.Error(), "rights.capabilities: {tasks.read: partner}") {
		t.Errorf("two roles for one capability: %v", err)
	}
	if err := table.Set(Command, "/help", core.Member); err != nil || table.Least(Capability, SelfRead) != core.Guest {
		t.Errorf("what has a role of its own changed that of others: %v", err)
	}
}

// TestUnknown proves that what the table does not know fails closed.
func TestUnknown(t *testing.T) {
	table := New()
	for _, k := range []Kind{Tool, Command, Route} {
		if table.May(core.Partner, k, "made-up") || !table.May(core.MasterAdmin, k, "made-up") {
			t.Errorf("an unknown %s is not for the master_admin alone", k)
		}
		if err := table.Set(k, "made-up", core.Guest); err == nil {
			t.Errorf("an unknown %s can be opened", k)
		}
	}
	if !table.May(core.Guest, Agent, "nikki") {
		t.Error("an agent without a role is closed to guests")
	}
	if err := table.Set(Agent, "finn", "boss"); err == nil {
		t.Error("a role that does not exist was taken")
	}
}

// TestNames proves that roles go by the installation's names and by errand's.
func TestNames(t *testing.T) {
	table := New()
	if err := table.Rename(core.Member, "Colleague"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"colleague", "member", " Member "} {
		if r, ok := table.Parse(name); !ok || r != core.Member {
			t.Errorf("%q is %q, %v", name, r, ok)
		}
	}
	if err := table.Rename(core.Guest, "colleague"); err == nil {
		t.Error("two roles have one name")
	}
	if _, ok := table.Parse("boss"); ok {
		t.Error("there is a boss")
	}
}

// TestToolPatterns proves that a tool that the table does not name has the role of the
// longest pattern that stands for it, and one that it names its own.
func TestToolPatterns(t *testing.T) {
	table := New()
	for name, role := range map[string]core.Role{"*": core.Partner, "github.*": core.Member, "github.delete_*": core.MasterAdmin, "github.delete_label": core.Guest} {
		if err := table.Set(Tool, name, role); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name      string
		own, want core.Role
	}{
		{"github.create_issue", "", core.Member},
		{"github.create_issue", core.Partner, core.Partner},
		{"github.create_issue", core.Guest, core.Member},
		{"github.delete_repo", "", core.MasterAdmin},
		{"github.delete_label", "", core.Guest},
		{"files.read", "", core.Partner},
		{"recall", "", core.Guest},
		{"recall", core.Member, core.Member},
	} {
		if got := table.LeastTool(c.name, c.own); got != c.want {
			t.Errorf("%s, itself for %q: from %q, want %q", c.name, c.own, got, c.want)
		}
	}
	plain := New()
	for own, want := range map[core.Role]core.Role{"": core.MasterAdmin, core.Member: core.Member} {
		if got := plain.LeastTool("github.create_issue", own); got != want {
			t.Errorf("a tool that nobody named, itself for %q: from %q, want %q", own, got, want)
		}
	}
	if err := plain.Set(Tool, "no_such_tool", core.Guest); err == nil {
		t.Error("a role was set for a built-in tool that there is not")
	}
}
