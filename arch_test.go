package errand_test

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A rule says which of errand's packages one package may import, tests aside. "*"
// stands for all.
type rule struct {
	path    string // "" is the root
	imports []string
}

// A group is the rules of packages that belong together.
type group struct {
	title string
	rules []rule
}

// testsTitle is the heading of the packages that no program has in it.
const testsTitle = "Tests and measurements"

var groups = []group{
	{"The vocabulary", []rule{
		{"", nil},
		{"client", []string{""}},
	}},
	{"The programs", []rule{
		{"worker", []string{"internal/cli/serve"}},
		{"starter", []string{"internal/cli"}},
		{"cmd/errand", []string{"internal/cli"}},
		{"internal/app", []string{"*"}},
		{"internal/cli", []string{"", "client", "internal/app", "internal/cli/accounts", "internal/cli/acpagent", "internal/cli/chat", "internal/cli/client", "internal/cli/console", "internal/cli/mcpbridge", "internal/cli/serve", "internal/cli/words", "internal/config", "internal/devserver", "internal/nearest", "internal/ownerkey", "internal/printable", "internal/tools/code", "notifiers/markup"}},
		{"internal/cli/serve", []string{"internal/app", "internal/config", "internal/doctext", "internal/picture", "internal/quickjs"}},
		{"internal/cli/chat", []string{"", "client", "internal/cli/client", "internal/cli/console", "internal/cli/words", "internal/printable", "internal/team", "notifiers/markup"}},
		{"internal/cli/words", nil},
		{"internal/cli/mcpbridge", []string{"client", "internal/cli/client"}},
		{"internal/cli/acpagent", []string{"", "client", "internal/cli/chat", "internal/cli/client"}},
		{"internal/cli/accounts", []string{"", "client", "internal/cli/client", "internal/cli/console", "internal/config", "internal/platform/discord", "internal/platform/telegram", "internal/printable"}},
		{"internal/cli/client", []string{"", "client", "internal/cli/words", "internal/printable"}},
		{"internal/cli/console", []string{"client", "internal/cli/words", "internal/printable"}},
		{"internal/config", []string{"", "internal/agents", "internal/fetch", "internal/folder", "internal/nearest", "internal/ownerkey", "internal/rights", "internal/texts"}},
		{"internal/modelcheck", []string{"", "activities", "internal/llm", "internal/store", "internal/texts"}},
	}},
	{"The way in", []rule{
		{"internal/web", []string{"", "internal/content", "internal/jsonbody", "internal/limit", "internal/metrics", "internal/netlimit", "internal/ownerkey", "internal/recovered", "internal/rights", "internal/service", "internal/texts"}},
		{"internal/mcpserver", []string{"", "internal/jsonbody", "internal/recovered", "internal/service"}},
		{"internal/a2aserver", []string{"", "internal/jsonbody", "internal/recovered", "internal/service"}},
		{"internal/openaiwire", []string{"", "internal/jsonbody", "internal/recovered", "internal/service"}},
		{"internal/channels", []string{"", "internal/elect", "internal/intake", "internal/recovered", "internal/store"}},
		{"internal/channels/telegram", []string{"", "internal/channels", "internal/intake", "internal/platform", "internal/platform/telegram", "internal/service"}},
		{"internal/channels/discord", []string{"", "internal/channels", "internal/commands", "internal/intake", "internal/platform", "internal/platform/discord", "internal/recovered", "internal/service", "internal/texts", "notifiers/markup"}},
		{"internal/channels/whatsapp", []string{"", "internal/channels", "internal/intake", "internal/platform/whatsapp", "internal/recovered", "internal/service", "internal/texts"}},
		{"internal/intake", []string{"", "internal/commands", "internal/content", "internal/limit", "internal/probe", "internal/service", "internal/store", "internal/team", "internal/texts"}},
		{"internal/commands", []string{"", "internal/metrics", "internal/nearest", "internal/rights", "internal/service", "internal/store", "internal/team", "internal/texts", "workflows"}},
	}},
	{"What people and programs may do", []rule{
		{"internal/service", []string{"", "internal/agents", "internal/content", "internal/dispatch", "internal/events", "internal/limit", "internal/metrics", "internal/probe", "internal/rights", "internal/store", "internal/team", "internal/texts", "internal/webhook", "internal/webpush", "internal/when", "workflows"}},
		{"internal/rights", []string{""}},
		{"internal/dispatch", []string{"", "activities", "internal/recovered", "internal/store", "workflows"}},
		{"internal/reconcile", []string{"", "internal/dispatch", "internal/elect", "internal/store"}},
		{"internal/titles", []string{"", "internal/content", "internal/llm", "internal/store"}},
	}},
	{"What runs on Temporal", []rule{
		{"workflows", []string{"", "activities", "internal/store"}},
		{"activities", []string{"", "internal/acpclient", "internal/agents", "internal/content", "internal/limit", "internal/llm", "internal/metrics", "internal/picture", "internal/probe", "internal/rights", "internal/store", "internal/texts", "internal/tools", "notifiers", "internal/webhook", "internal/webpush", "internal/when"}},
	}},
	{"What activities use", []rule{
		{"internal/agents", []string{""}},
		{"internal/llm", []string{"", "internal/limit"}},
		{"internal/llm/demo", []string{"", "internal/llm", "internal/llm/scripted"}},
		{"internal/llm/scripted", []string{"", "internal/llm"}},
		{"internal/fetch", []string{""}},
		{"internal/a2aclient", []string{"", "internal/content", "internal/fetch"}},
		{"internal/webhook", []string{"internal/fetch"}},
		{"internal/webpush", []string{"internal/fetch", "internal/webhook"}},
		{"internal/acpclient", []string{"", "internal/content", "internal/elect", "internal/stdio", "internal/store"}},
		{"internal/elect", []string{""}},
		{"internal/mcpclient", []string{"", "internal/content", "internal/elect", "internal/nearest", "internal/recovered", "internal/stdio", "internal/store", "internal/tools"}},
		{"internal/tools/web", []string{"", "internal/content", "internal/doctext", "internal/fetch", "internal/store", "internal/tools"}},
		{"internal/doctext", []string{"internal/ownprocess"}},
		{"internal/quickjs", []string{"internal/ownprocess"}},
		{"internal/tools", []string{"", "internal/content", "internal/llm", "internal/store", "internal/texts", "internal/when"}},
		{"internal/tools/code", []string{"", "internal/content", "internal/ownerkey", "internal/ownprocess", "internal/quickjs", "internal/store", "internal/tools"}},
		{"internal/tools/skills", []string{"", "internal/agents", "internal/content", "internal/folder", "internal/store", "internal/tools"}},
		{"internal/tools/files", []string{"", "internal/content", "internal/store", "internal/tools"}},
		{"internal/store", []string{"", "internal/content", "internal/events", "internal/limit", "internal/store/sqldb", "internal/texts", "internal/when"}},
		{"internal/store/sqldb", []string{"internal/prepared"}},
		{"internal/prepared", nil},
		{"internal/events", []string{""}},
	}},
	{"The way out", []rule{
		{"notifiers", []string{"", "internal/platform"}},
		{"notifiers/telegram", []string{"", "internal/platform/telegram", "notifiers", "notifiers/markup", "notifiers/ratelimit"}},
		{"notifiers/discord", []string{"", "internal/platform/discord", "notifiers", "notifiers/markup", "notifiers/ratelimit"}},
		{"notifiers/whatsapp", []string{"", "internal/platform/whatsapp", "notifiers", "notifiers/markup", "notifiers/ratelimit"}},
		{"notifiers/markup", nil},
		{"notifiers/ratelimit", []string{"internal/limit", "notifiers"}},
		{"internal/presence", []string{"", "internal/events", "internal/store", "notifiers"}},
	}},
	{"What both halves of a platform share", []rule{
		{"internal/platform", nil},
		{"internal/platform/telegram", []string{"internal/platform"}},
		{"internal/platform/discord", []string{"internal/platform", "notifiers/markup"}},
		{"internal/platform/whatsapp", []string{"internal/platform"}},
	}},
	{"Small parts that know nothing of the others", []rule{
		{"internal/content", nil},
		{"internal/folder", nil},
		{"internal/jsonbody", nil},
		{"internal/limit", nil},
		{"internal/metrics", nil},
		{"internal/nearest", nil},
		{"internal/ownprocess", nil},
		{"internal/picture", []string{"internal/ownprocess"}},
		{"internal/printable", nil},
		{"internal/recovered", nil},
		{"internal/stdio", []string{"", "internal/content"}},
		{"internal/team", nil},
		{"internal/probe", nil},
		{"internal/texts", []string{"", "internal/when"}},
		{"internal/when", nil},
	}},
	{"The embedded server, and what protects a port", []rule{
		{"internal/devserver", []string{"internal/freeport", "internal/netlimit", "internal/ownerkey", "internal/prepared"}},
		{"internal/freeport", nil},
		{"internal/netlimit", nil},
		{"internal/ownerkey", nil},
		{"internal/ownports", nil},
	}},
	{testsTitle, []rule{
		{"internal/clientgen", nil},
		{"internal/test/bench", []string{"*"}},
		{"internal/test/bench/providers", []string{"*"}},
		{"internal/chaos", []string{"*"}},
		{"internal/chaos/rig", []string{"", "internal/freeport", "internal/llm", "internal/llm/scripted", "internal/ownerkey"}},
		{"internal/chaos/soak", []string{"*"}},
		{"internal/attack", []string{"*"}},
		{"internal/browser", []string{"*"}},
		{"internal/browser/film", []string{"internal/ownerkey"}},
		{"deploy", nil},
		{"deploy/try", []string{"", "internal/llm/scripted", "internal/ownerkey"}},
		{"workflows/workflowtest", []string{"", "activities", "internal/agents", "internal/dispatch", "internal/intake", "internal/intake/intaketest", "internal/llm", "internal/llm/llmtest", "internal/reconcile", "internal/service", "internal/store", "internal/store/storetest", "internal/texts", "internal/tools", "internal/tools/files", "notifiers", "notifiers/notifiertest", "workflows"}},
		{"internal/store/storetest", []string{"", "internal/events", "internal/limit", "internal/store", "internal/store/sqldb", "internal/when"}},
		{"internal/dispatch/dispatchtest", []string{"internal/dispatch"}},
		{"internal/service/servicetest", []string{"internal/service"}},
		{"internal/ownprocess/ownprocesstest", nil},
		{"internal/paralleltest", nil},
		{"internal/intake/intaketest", []string{"internal/commands", "internal/intake", "internal/metrics", "internal/service"}},
		{"internal/channels/channeltest", []string{"", "internal/agents", "internal/channels", "internal/dispatch/dispatchtest", "internal/intake", "internal/intake/intaketest", "internal/service", "internal/store", "internal/store/storetest"}},
		{"internal/llm/llmtest", []string{"", "internal/llm", "internal/llm/scripted"}},
		{"internal/probe/probetest", []string{"internal/probe"}},
		{"notifiers/notifiertest", []string{"", "notifiers"}},
		{"internal/cli/clitest", []string{"internal/cli/console"}},
		{"internal/sim/telegram", nil},
		{"internal/sim/coding", []string{"internal/ownerkey"}},
		{"internal/sim/a2a", nil},
		{"internal/sim/mcp", []string{"internal/ownerkey"}},
		{"internal/mcpclient/conformance", []string{"", "internal/mcpclient", "internal/store", "internal/tools"}},
		{"internal/sim/discord", []string{"internal/platform/discord"}},
		{"internal/sim/whatsapp", []string{"internal/platform/whatsapp"}},
		{"internal/sim/models", nil},
		{"internal/sim/search", nil},
		{"internal/sim/whisper", nil},
		{"internal/sim/push", nil},
		{"internal/sim/try", nil},
		{"internal/sim/try/trytest", []string{"internal/sim/try"}},
		{"internal/sim/telegram/try", []string{"internal/sim/telegram", "internal/sim/try"}},
		{"internal/sim/discord/try", []string{"internal/sim/discord", "internal/sim/try"}},
		{"internal/sim/whatsapp/try", []string{"internal/sim/try", "internal/sim/whatsapp"}},
	}},
}

var allowed = func() map[string][]string {
	m := map[string][]string{}
	for _, g := range groups {
		for _, r := range g.rules {
			m[r.path] = r.imports
		}
	}
	return m
}()

var homes = map[string][]string{
	"github.com/sashabaranov/go-openai":                        {"internal/llm", "internal/app"},
	"github.com/standard-webhooks/standard-webhooks/libraries": {"internal/app"},
	"github.com/a2aproject":                                    {"internal/a2aclient", "internal/a2aserver", "internal/app"},
	"github.com/modelcontextprotocol":                          {"internal/mcpclient", "internal/mcpserver"},
	"github.com/coder/acp-go-sdk":                              {"internal/acpclient", "internal/cli/acpagent", "internal/sim/coding"},
	"go.temporal.io/server":                                    {"internal/devserver", "internal/chaos/rig"},
	"github.com/temporalio/ui-server":                          {"internal/devserver"},
	"go.temporal.io/sdk/client":                                {"internal/dispatch", "internal/app", "internal/devserver", "internal/test/bench", "internal/chaos/rig", "internal/chaos/soak", "internal/metrics", "workflows/workflowtest", "deploy/try"},
	"github.com/uptrace/bun":                                   {"internal/store/sqldb"},
	"github.com/jackc/pgx":                                     {"internal/store/sqldb", "deploy/try", "internal/chaos"},
	"modernc.org/sqlite":                                       {"internal/store/sqldb", "internal/devserver", "internal/prepared", "internal/sim/whatsapp"},
	"github.com/swaggest":                                      {"internal/web"},
	"go.yaml.in/yaml":                                          {"internal/config"},
	"github.com/spf13/cobra":                                   {"internal/cli"},
	"github.com/chromedp":                                      {"internal/test/bench", "internal/browser", "internal/browser/film"},
	"github.com/prometheus":                                    {"internal/metrics"},
	"golang.org/x/image":                                       {"internal/picture"},
	"golang.org/x/time":                                        {"internal/limit"},
	"golang.org/x/sync/semaphore":                              {"internal/limit"},
	"golang.org/x/net":                                         {"internal/doctext", "internal/fetch", "internal/tools/web"},
	"codeberg.org/readeck":                                     {"internal/doctext"},
	"github.com/JohannesKaufmann":                              {"internal/doctext"},
	"github.com/ledongthuc/pdf":                                {"internal/doctext"},
	"github.com/fastschema/qjs":                                {"internal/quickjs"},
	"github.com/tetratelabs/wazero":                            {"internal/quickjs"},
	"code.dny.dev/ssrf":                                        {"internal/fetch"},
	"golang.org/x/text":                                        {"internal/store", "internal/texts", "internal/content"},
	"github.com/teambition/rrule-go":                           {"internal/texts", "internal/when"},
	"github.com/go-telegram/bot":                               {}, // its client: internal/platform/telegram calls instead
	"github.com/go-telegram/bot/models":                        {"internal/platform/telegram", "notifiers/telegram", "internal/channels/telegram"},
	"github.com/bwmarrin/discordgo":                            {"internal/platform/discord", "internal/channels/discord", "notifiers/discord", "internal/sim/discord"},
	"github.com/gorilla/websocket":                             {"internal/platform/discord", "internal/channels/discord", "internal/sim/discord"},
	"github.com/yuin/goldmark":                                 {"notifiers/markup"},
	"charm.land":                                               {"internal/cli/chat"},
	"github.com/charmbracelet":                                 {"internal/cli/chat"},
	"github.com/rivo/uniseg":                                   {"internal/cli/console", "notifiers/markup"},
	"github.com/gabriel-vasile":                                {"internal/content"},
	"go.mau.fi":                                                {"internal/platform/whatsapp", "internal/channels/whatsapp", "notifiers/whatsapp", "internal/sim/whatsapp"},
	"rsc.io/qr":                                                {"internal/web", "internal/cli/accounts"},
	"google.golang.org/protobuf/proto":                         {"internal/channels/whatsapp", "notifiers/whatsapp", "internal/sim/whatsapp"},

	"github.com/compose-spec/compose-go": {"deploy", "deploy/try"},
}

// inTests are libraries that the tests of every package may import, to see what has
// come of what they do.
var inTests = []string{"go.temporal.io/sdk/client", "github.com/modelcontextprotocol", "github.com/coder/acp-go-sdk", "go.yaml.in/yaml"}

// onlyTests has the packages that no program has in it: simulators, suites, benchmarks.
var onlyTests = func() map[string]bool {
	m := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.rules {
			if g.title == testsTitle {
				m[r.path] = true
			}
		}
	}
	return m
}()

// TestImports proves that packages import what their rule allows, that each rule allows
// no more, and that no program has a simulator, a suite or a benchmark in it: only their
// own group imports them. It parses the files itself: a test that asks the go command is
// cached.
func TestImports(t *testing.T) {
	files, found := goFiles(t), map[string][]string{}
	for _, path := range files {
		checkImports(t, found, path, strings.HasSuffix(path, "_test.go"))
	}
	if len(files) < 20 {
		t.Errorf("only %d files were looked at", len(files))
	}
	for from, imports := range allowed {
		for _, to := range imports {
			if to != "*" && !slices.Contains(found[from], to) {
				t.Errorf("%q may import %q and does not: take it out of groups", from, to)
			}
		}
	}
}

func goFiles(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (strings.HasPrefix(name, ".") && name != "." || name == "testdata" || name == "node_modules" || name == "data") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ".go") {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestNoServer proves that no program has the embedded Temporal server in it with
// the tag nodevserver, and that each has without.
func TestNoServer(t *testing.T) {
	for _, program := range []string{"worker", "starter", "cmd/errand"} {
		if path := pathToServer(t, program, nil, map[string]bool{}); path == nil {
			t.Errorf("%s has no server in it: this test looks in the wrong place", program)
		}
		if path := pathToServer(t, program, []string{"nodevserver"}, map[string]bool{}); path != nil {
			t.Errorf("%s has the server in it all the same: %s", program, strings.Join(path, " imports "))
		}
	}
}

// pathToServer is how one package, built with these tags, comes to import Temporal's
// server; nil: it does not.
func pathToServer(t *testing.T, from string, tags []string, been map[string]bool) []string {
	t.Helper()
	been[from] = true
	context := build.Default
	context.BuildTags = tags
	pkg, err := context.ImportDir(filepath.FromSlash(from), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pkg.Imports {
		if vendor := vendorOf(name); vendor == "go.temporal.io/server" || vendor == "github.com/temporalio/ui-server" {
			return []string{from, name}
		}
		to, ours := strings.CutPrefix(name, "errand/")
		if !ours || been[to] {
			continue
		}
		if rest := pathToServer(t, to, tags, been); rest != nil {
			return append([]string{from}, rest...)
		}
	}
	return nil
}

// vendorOf is the entry of homes that a vendor's package belongs to: the one that
// names it most exactly; empty: none.
func vendorOf(name string) (vendor string) {
	for v := range homes {
		if (name == v || strings.HasPrefix(name, v+"/")) && len(v) > len(vendor) {
			vendor = v
		}
	}
	return vendor
}

func checkImports(t *testing.T, found map[string][]string, path string, test bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	from := filepath.ToSlash(filepath.Dir(path))
	if from == "." {
		from = ""
	}
	may, known := allowed[from]
	if !known {
		t.Errorf("%s: package %q has no rule; add it to groups in arch_test.go", path, from)
		return
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		if rest, ours := strings.CutPrefix(name, "errand"); ours && (rest == "" || rest[0] == '/') {
			to := strings.TrimPrefix(rest, "/")
			// Tests may use other packages to stand their own up.
			if !test && to != from && !slices.Contains(may, to) && !slices.Contains(may, "*") {
				t.Errorf("%s imports %s: %q may not", path, name, from)
			}
			if !test {
				found[from] = append(found[from], to)
				if onlyTests[to] && !onlyTests[from] {
					t.Errorf("%s imports %s, which is for tests", path, name)
				}
			}
			continue
		}
		vendor := vendorOf(name)
		if vendor == "" || test && slices.Contains(inTests, vendor) {
			continue
		}
		home := homes[vendor]
		if !slices.ContainsFunc(home, func(h string) bool { return from == h || strings.HasPrefix(from, h+"/") }) {
			t.Errorf("%s imports %s, whose home is %v", path, name, home)
		}
	}
	if from == "" && !test {
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if strings.Contains(name, ".") && name != "github.com/google/uuid" {
				t.Errorf("%s imports %s: the vocabulary imports the standard library and google/uuid only", path, name)
			}
		}
	}
}
