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

The roles are %s. Each role may do everything that the roles before it may do. To change the least role of an entry, set ` + "`rights:`" + ` in
errand.yaml; ` + "`roles:`" + ` changes the names of the roles. Package api declares the routes, and internal/rights the rest.

- Every action needs a capability, on every way into errand. A command or a route has the role of its capability. If you set another role for one of them, it applies
  to the capability and so to all of them. errand refuses two different roles for one capability.
- The role of a tool decides for which people an agent may use it. ` + "`/help`, `/pair`, `/team`" + ` and the routes of your own tokens have
  their own roles too.
- A tool may be named by a pattern (` + "`github.*`" + `); the longest pattern decides. See [tools.md](tools.md).
- Entries that are not in the table are for admins. Everybody may talk with an agent, unless the roster gives it a role.
- A capability covers your own things. Other people's things also need ` + "`others.read` or `others.change`" + `.
- In a group session (` + "`sessions.group_sessions: shared`" + `) everybody may use commands on their own tasks and turns. The table of group sessions has the role
  for what belongs to others or to everybody. In a group no command shows anything from another chat.
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
		fmt.Fprintf(&b, "\n## %ss\n\n| %s | needs | from | to |\n|---|---|---|---|\n", strings.ToUpper(name[:1])+name[1:], name)
		for _, r := range t.Rules() {
			if r.Kind == k {
				fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", r.Name, r.Needs, least(r), r.About)
			}
		}
	}
	b.WriteString("\n## Routes\n\n`/api/openapi.json` describes the operations of the API. The other routes are pages and the ways in for other protocols.\n\n| route | needs | from |\n|---|---|---|\n")
	for _, r := range t.Rules() {
		if r.Kind == rights.Route {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", r.Name, r.Needs, least(r))
		}
	}
	return b.String()
}

func least(r rights.Rule) string { return strings.ToLower(r.Least.Display()) }

func roles() string { return strings.Join(api.Rights().Names(), " < ") }
