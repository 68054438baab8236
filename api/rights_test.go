package api_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/rights"
)

var update = flag.Bool("update", false, "write docs/rights.md")

const doc = "../docs/rights.md"

// TestDoc proves that docs/rights.md matches the table. With -update it writes the page.
func TestDoc(t *testing.T) {
	want := page(api.Rights())
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
		t.Error("docs/rights.md is not the table: go test ./api -update writes it")
	}
}

const intro = `# Who may do what

The roles are %s. Each includes those before it. Package api has the routes, and internal/rights has the rest. ` + "`rights:`" + ` in
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

func page(t *rights.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, roles())
	b.WriteString("\n## Capabilities\n\n| capability | from | to |\n|---|---|---|\n")
	for _, c := range t.Rules() {
		if c.Kind == rights.Capability {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, least(c), c.About)
		}
	}
	for _, k := range []rights.Kind{rights.Tool, rights.Command, rights.GroupSession} {
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
		if r.Kind == rights.Route {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", r.Name, r.Needs, least(r))
		}
	}
	return b.String()
}

func least(r rights.Rule) string { return strings.ToLower(r.Least.Display()) }

func roles() string { return strings.Join(api.Rights().Names(), " < ") }
