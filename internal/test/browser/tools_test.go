package browser

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/test/sim/mcp"
)

// TestToolsPage proves that whoever may see them is shown how the MCP servers are, what
// they offer to whom, and which calls brought no result; that the words of a server are
// text and nothing else; and that everybody can use the page.
func TestToolsPage(t *testing.T) {
	in := start(t, func(in *installation) {
		server := func(name string, faults ...mcp.Fault) config.MCPServer {
			return config.MCPServer{Name: name, Command: []string{os.Args[0]}, Effects: map[string]string{"echo": "read_only"},
				Env: map[string]config.Secret{mcp.Variable: config.Secret(strings.Join(core.Strings(faults), ",")), mcp.Folder: config.Secret(t.TempDir())}}
		}
		in.cfg.MCPServers = []config.MCPServer{server("sim", mcp.Hostile, mcp.Older), server("broken", mcp.Broken),
			{Name: "wiki", Command: []string{filepath.Join(t.TempDir(), "no-such-program")}}}
		finn, _ := in.cfg.Roster.Agent("finn")
		finn.Tools = []string{"sim.*"}
	})
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.open(in.url + "/tools")
	owner.sees(".side a[aria-current]", "Tools")
	owner.sees("[data-server=sim].connected", "17 tools")
	owner.sees("[data-tools=code] li", "run_code")
	owner.sees("[data-tools=code] li", "Programs run in: ")
	owner.sees("[data-tools=delegation] li", "call_agent_async")
	owner.until("who has each, who may use it and whether it asks", func() bool {
		return owner.holds(`[...document.querySelectorAll("[data-tools=reminders] li")].some(li => li.innerText.includes("remind_me") && li.innerText.includes("Member or higher, for Nikki, Sasha"))`)
	})
	if owner.has("[data-tools=reminders]", "Finn") || owner.holds(`[...document.querySelectorAll("[data-tools=delegation] li")].some(li => li.innerText.startsWith("call_agent\n") && li.innerText.includes("Sasha"))`) {
		t.Error("an agent is shown with a tool that it does not have")
	}
	owner.sees("[data-server=wiki].down", "it cannot be started")
	owner.sees("[data-server=broken].down", "it ended: exit status 3 (sim: a module is missing)")
	owner.accessible("tools, folded")

	try := func(tool string) {
		t.Helper()
		var status int
		owner.evaluates("call "+tool, `fetch("/api/mcp/sim/try", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({tool: `+quoted(tool)+`})}).then(answer => answer.status)`, &status)
		if status != http.StatusOK {
			t.Fatalf("%s is answered with HTTP %d", tool, status)
		}
	}
	try("refuse")
	try("fail")
	owner.sees("[data-server=sim] .failures", "sim.refuse it refused the call (-32602)")
	owner.sees("[data-server=sim] .failures", "sim.fail it said that the call failed")
	owner.doesNotSee("[data-server=sim]", "the disk is full")

	owner.clicks("[data-server=sim] .tools summary")
	owner.sees("[data-server=sim] .tools", "sim.echo")
	owner.sees("[data-server=sim] .tools", "read only, Member or higher, for Finn")
	owner.sees("[data-server=sim] .tools", "once, Member or higher, for Finn")
	owner.sees("[data-server=sim] .tools", "<script>owned()</script> **bold** [click](javascript:owned())")
	if n := owner.count("main script, main img, main b, main strong, main a"); n != 0 {
		t.Errorf("words of a server have become %d elements", n)
	}
	owner.announces()
	owner.accessible("tools, unfolded")
	owner.narrow()

	ann := owner.letsIn(in, "Ann")
	ann.clicks("#who")
	ann.doesNotSee("#menu", "Tools")
	ann.open(in.url + "/tools")
	ann.sees("main", "You need the role Partner or higher to open this page. Your role is Member; an admin can change it.")
	ann.doesNotSee("body", "sim")
	owner.evaluates("speak Spanish", `fetch("/api/me", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"language":"es"}'}).then(answer => answer.ok)`, nil)
	owner.open(in.url + "/tools")
	owner.sees("[data-server=sim] .mark", "conectado")
	owner.sees("[data-server=wiki] .mark", "caído")
	owner.clicks("[data-server=sim] .tools summary")
	owner.sees("[data-server=sim] .tools", "o superior")
	owner.open(in.url + "/?chat=another")
	owner.sees("#empty button", "pide a Finn que explique qué es un mutex")

	ann.open(in.url + "/tools.html") // the file, which has no words of anybody: it is refused what it asks for
	ann.sees("#connection", "mcp.read needs the role Partner or higher")
	ann.doesNotSee("body", "sim")
}
