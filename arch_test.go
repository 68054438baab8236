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
	path    string // "" is the root, which has only tests
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
		{"internal/core", nil},
		{"internal/answer", []string{"internal/core"}},
		{"internal/decision", []string{"internal/core"}},
		{"internal/prompt", []string{"internal/core"}},
	}},
	{"The programs", []rule{
		{"worker", []string{"internal/app"}},
		{"starter", []string{"internal/cli"}},
		{"cmd/errand", []string{"internal/cli"}},
		{"internal/app", []string{"*"}},
		{"internal/cli", []string{"api", "internal/app", "internal/backup", "internal/bridge", "internal/cli/accounts", "internal/cli/chat", "internal/cli/console", "internal/config", "internal/content", "internal/core", "internal/markup", "internal/ownerkey", "internal/store", "internal/temporal/devserver", "internal/tools/code", "internal/version"}},
		{"internal/cli/chat", []string{"api", "internal/cli/console", "internal/core", "internal/markup"}},
		{"internal/bridge", []string{"api", "internal/cli/chat", "internal/cli/console", "internal/core"}},
		{"internal/cli/accounts", []string{"api", "internal/channels/discord", "internal/channels/telegram", "internal/cli/console", "internal/config", "internal/core"}},
		{"internal/cli/console", []string{"api", "internal/core"}},
		{"internal/config", []string{"api", "internal/agents", "internal/content", "internal/core", "internal/decision", "internal/fetch", "internal/ownerkey", "internal/rights", "internal/texts"}},
	}},
	{"The way in", []rule{
		{"internal/doors/web", []string{"api", "internal/actor", "internal/content", "internal/core", "internal/limit", "internal/ops", "internal/ownerkey", "internal/rights", "internal/service", "internal/telemetry", "internal/texts"}},
		{"internal/doors/mcpserver", []string{"api", "internal/actor", "internal/content", "internal/core", "internal/ops", "internal/service", "internal/telemetry"}},
		{"internal/doors/a2aserver", []string{"api", "internal/actor", "internal/content", "internal/core", "internal/ops", "internal/service", "internal/telemetry"}},
		{"internal/doors/openaiwire", []string{"api", "internal/actor", "internal/content", "internal/core", "internal/ops", "internal/service", "internal/telemetry"}},
		{"internal/channels", []string{"internal/core", "internal/elect", "internal/intake", "internal/store", "internal/telemetry"}},
		{"internal/channels/telegram", []string{"internal/channels", "internal/core", "internal/intake", "internal/service", "notifiers"}},
		{"internal/channels/discord", []string{"internal/channels", "internal/commands", "internal/core", "internal/intake", "internal/markup", "internal/service", "internal/telemetry", "internal/texts", "notifiers"}},
		{"internal/channels/whatsapp", []string{"internal/channels", "internal/core", "internal/intake", "internal/service", "internal/telemetry", "internal/texts", "notifiers"}},
		{"internal/intake", []string{"api", "internal/actor", "internal/agents", "internal/answer", "internal/commands", "internal/content", "internal/core", "internal/limit", "internal/ops", "internal/probe", "internal/service", "internal/store", "internal/texts"}},
		{"internal/commands", []string{"api", "internal/actor", "internal/agents", "internal/content", "internal/core", "internal/ops", "internal/rights", "internal/service", "internal/store", "internal/telemetry", "internal/texts"}},
	}},
	{"What people and programs may do", []rule{
		{"api", []string{"internal/core", "internal/rights"}},
		{"internal/ops", []string{"api", "internal/actor"}},
		{"internal/actor", []string{"internal/core", "internal/rights"}},
		{"internal/service", []string{"api", "internal/actor", "internal/agents", "internal/answer", "internal/content", "internal/core", "internal/decision", "internal/events", "internal/limit", "internal/ops", "internal/probe", "internal/push", "internal/rights", "internal/store", "internal/telemetry", "internal/temporal/dispatch", "internal/temporal/wire", "internal/texts", "internal/when"}},
		{"internal/rights", []string{"internal/core"}},
		{"internal/temporal/wire", []string{"internal/core", "internal/store"}},
		{"internal/temporal/dispatch", []string{"internal/core", "internal/store", "internal/telemetry", "internal/temporal/wire"}},
		{"internal/backup", []string{"internal/core", "internal/ownerkey", "internal/store"}},
		{"internal/temporal/reconcile", []string{"internal/core", "internal/elect", "internal/store", "internal/temporal/dispatch", "internal/temporal/wire"}},
	}},
	{"What runs on Temporal", []rule{
		{"workflows", []string{"activities", "internal/core", "internal/decision", "internal/store", "internal/temporal/wire"}},
		{"activities", []string{"internal/agents", "internal/content", "internal/core", "internal/limit", "internal/llm", "internal/probe", "internal/prompt", "internal/push", "internal/remote/acpclient", "internal/rights", "internal/sandbox", "internal/store", "internal/telemetry", "internal/temporal/wire", "internal/texts", "internal/tools", "internal/when", "notifiers"}},
		{"internal/llm/background", []string{"activities", "internal/content", "internal/core", "internal/llm", "internal/store", "internal/texts"}},
	}},
	{"What activities use", []rule{
		{"internal/agents", []string{"internal/core"}},
		{"internal/llm", []string{"internal/core", "internal/limit"}},
		{"internal/llm/scripted", []string{"internal/core", "internal/llm"}},
		{"internal/fetch", []string{"internal/core"}},
		{"internal/remote/a2aclient", []string{"internal/content", "internal/core", "internal/fetch"}},
		{"internal/push", []string{"internal/fetch"}},
		{"internal/remote/acpclient", []string{"internal/content", "internal/core", "internal/elect", "internal/remote/stdio", "internal/store"}},
		{"internal/elect", []string{"internal/core"}},
		{"internal/remote/mcpclient", []string{"internal/content", "internal/core", "internal/elect", "internal/remote/stdio", "internal/store", "internal/telemetry", "internal/tools"}},
		{"internal/tools/web", []string{"internal/content", "internal/core", "internal/fetch", "internal/sandbox", "internal/store", "internal/tools"}},
		{"internal/sandbox", nil},
		{"internal/tools", []string{"api", "internal/answer", "internal/content", "internal/core", "internal/decision", "internal/llm", "internal/ops", "internal/store", "internal/texts"}},
		{"internal/tools/code", []string{"internal/content", "internal/core", "internal/ownerkey", "internal/sandbox", "internal/store", "internal/tools"}},
		{"internal/tools/skills", []string{"internal/agents", "internal/content", "internal/core", "internal/store", "internal/tools"}},
		{"internal/tools/files", []string{"api", "internal/content", "internal/core", "internal/ops", "internal/store", "internal/tools"}},
		{"internal/store", []string{"internal/actor", "internal/content", "internal/core", "internal/decision", "internal/events", "internal/limit", "internal/prompt", "internal/store/sqldb", "internal/texts", "internal/when"}},
		{"internal/store/sqldb", []string{"internal/limit"}},
		{"internal/events", []string{"internal/core"}},
	}},
	{"The way out", []rule{
		{"notifiers", []string{"internal/core"}},
		{"notifiers/telegram", []string{"internal/channels/telegram", "internal/core", "internal/markup", "notifiers"}},
		{"notifiers/discord", []string{"internal/channels/discord", "internal/core", "internal/markup", "notifiers"}},
		{"notifiers/whatsapp", []string{"internal/channels/whatsapp", "internal/core", "internal/markup", "notifiers"}},
		{"internal/markup", nil},
		{"internal/presence", []string{"internal/core", "internal/events", "internal/store", "notifiers"}},
	}},
	{"What both halves of a platform share", []rule{}},
	{"Small parts that know nothing of the others", []rule{
		{"internal/content", nil},
		{"internal/limit", nil},
		{"internal/telemetry", nil},
		{"internal/remote/stdio", []string{"internal/content", "internal/core"}},
		{"internal/probe", nil},
		{"internal/texts", []string{"internal/core", "internal/when"}},
		{"internal/version", nil},
		{"internal/when", nil},
	}},
	{"The embedded server, and what protects a port", []rule{
		{"internal/temporal/devserver", []string{"internal/limit", "internal/ownerkey", "internal/store/sqldb"}},
		{"internal/ownerkey", nil},
		{"internal/test/ownports", nil},
	}},
	{testsTitle, []rule{
		{"", nil},
		{"internal/test/bench", []string{"*"}},
		{"internal/test/bench/providers", []string{"*"}},
		{"internal/test/chaos", []string{"*"}},
		{"internal/test/chaos/rig", []string{"internal/core", "internal/llm", "internal/llm/scripted", "internal/ownerkey", "internal/temporal/devserver", "internal/test/sim/models"}},
		{"internal/test/chaos/soak", []string{"*"}},
		{"internal/test/attack", []string{"*"}},
		{"internal/test/browser", []string{"*"}},
		{"internal/test/browser/film", []string{"internal/ownerkey"}},
		{"deploy", nil},
		{"deploy/packaging", nil},
		{"internal/test/compose", []string{"internal/core", "internal/llm/scripted", "internal/ownerkey", "internal/test/sim/models"}},
		{"internal/test/workflowtest", []string{"activities", "api", "internal/actor", "internal/agents", "internal/core", "internal/intake", "internal/llm", "internal/ops", "internal/service", "internal/store", "internal/temporal/dispatch", "internal/temporal/reconcile", "internal/temporal/wire", "internal/test/intaketest", "internal/test/llmtest", "internal/test/notifiertest", "internal/test/servicetest", "internal/test/storetest", "internal/texts", "internal/tools", "internal/tools/files", "notifiers", "workflows"}},
		{"internal/test/storetest", []string{"internal/actor", "internal/core", "internal/events", "internal/limit", "internal/store", "internal/store/sqldb", "internal/when"}},
		{"internal/test/dispatchtest", []string{"internal/temporal/dispatch"}},
		{"internal/test/servicetest", []string{"api", "internal/actor", "internal/core", "internal/ops", "internal/service", "internal/store"}},
		{"internal/test/paralleltest", nil},
		{"internal/test/intaketest", []string{"internal/commands", "internal/intake", "internal/service", "internal/telemetry", "internal/test/servicetest"}},
		{"internal/test/channeltest", []string{"internal/agents", "internal/channels", "internal/core", "internal/intake", "internal/service", "internal/store", "internal/test/dispatchtest", "internal/test/intaketest", "internal/test/storetest"}},
		{"internal/test/llmtest", []string{"internal/core", "internal/llm", "internal/llm/scripted", "internal/test/sim/models"}},
		{"internal/test/probetest", []string{"internal/probe"}},
		{"internal/test/notifiertest", []string{"internal/core", "notifiers"}},
		{"internal/test/clitest", []string{"internal/cli/console"}},
		{"internal/test/sim/telegram", nil},
		{"internal/test/sim/coding", []string{"internal/ownerkey"}},
		{"internal/test/sim/a2a", nil},
		{"internal/test/sim/mcp", []string{"internal/ownerkey"}},
		{"internal/test/mcpconformance", []string{"internal/core", "internal/remote/mcpclient", "internal/store", "internal/tools"}},
		{"internal/test/sim/discord", []string{"internal/channels/discord"}},
		{"internal/test/sim/whatsapp", []string{"internal/channels/whatsapp"}},
		{"internal/test/sim/models", []string{"internal/core", "internal/llm", "internal/llm/scripted"}},
		{"internal/test/sim/search", nil},
		{"internal/test/sim/whisper", nil},
		{"internal/test/sim/push", nil},
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
	"github.com/a2aproject":                                    {"internal/remote/a2aclient", "internal/doors/a2aserver", "internal/app"},
	"github.com/modelcontextprotocol":                          {"internal/remote/mcpclient", "internal/doors/mcpserver"},
	"github.com/coder/acp-go-sdk":                              {"internal/remote/acpclient", "internal/bridge", "internal/test/sim/coding"},
	"go.temporal.io/server":                                    {"internal/temporal/devserver", "internal/test/chaos/rig"},
	"github.com/temporalio/ui-server":                          {"internal/temporal/devserver"},
	"go.temporal.io/sdk/client":                                {"internal/test/dispatchtest", "internal/temporal/dispatch", "internal/app", "internal/temporal/devserver", "internal/test/bench", "internal/test/chaos/rig", "internal/test/chaos/soak", "internal/telemetry", "internal/test/workflowtest", "internal/test/compose"},
	"github.com/uptrace/bun":                                   {"internal/store/sqldb"},
	"github.com/jackc/pgx":                                     {"internal/store/sqldb", "internal/test/compose", "internal/test/chaos"},
	"modernc.org/sqlite":                                       {"internal/store/sqldb", "internal/temporal/devserver", "internal/test/sim/whatsapp"},
	"github.com/swaggest":                                      {"internal/doors/web"},
	"go.yaml.in/yaml":                                          {"internal/config"},
	"github.com/spf13/cobra":                                   {"internal/cli"},
	"github.com/chromedp":                                      {"internal/test/bench", "internal/test/browser", "internal/test/browser/film"},
	"github.com/prometheus":                                    {"internal/telemetry"},
	"golang.org/x/crypto/x509roots":                            {"cmd/errand", "starter", "worker"},
	"golang.org/x/image":                                       {"internal/sandbox"},
	"golang.org/x/time":                                        {"internal/limit", "notifiers"},
	"golang.org/x/sync/semaphore":                              {"internal/limit"},
	"golang.org/x/net":                                         {"internal/sandbox", "internal/fetch", "internal/tools/web"},
	"codeberg.org/readeck":                                     {"internal/sandbox"},
	"github.com/JohannesKaufmann":                              {"internal/sandbox"},
	"github.com/ledongthuc/pdf":                                {"internal/sandbox"},
	"github.com/fastschema/qjs":                                {"internal/sandbox"},
	"github.com/tetratelabs/wazero":                            {"internal/sandbox"},
	"code.dny.dev/ssrf":                                        {"internal/fetch"},
	"golang.org/x/text":                                        {"internal/store", "internal/texts", "internal/content"},
	"github.com/teambition/rrule-go":                           {"internal/texts", "internal/when"},
	"github.com/go-telegram/bot":                               {}, // its client: internal/channels/telegram calls instead
	"github.com/go-telegram/bot/models":                        {"internal/channels/telegram", "notifiers/telegram"},
	"github.com/bwmarrin/discordgo":                            {"internal/channels/discord", "notifiers/discord", "internal/test/sim/discord"},
	"github.com/gorilla/websocket":                             {"internal/channels/discord", "internal/test/sim/discord"},
	"github.com/yuin/goldmark":                                 {"internal/markup"},
	"charm.land":                                               {"internal/cli/chat"},
	"github.com/charmbracelet":                                 {"internal/cli/chat"},
	"github.com/rivo/uniseg":                                   {"internal/cli/console", "internal/markup"},
	"github.com/gabriel-vasile":                                {"internal/content"},
	"go.mau.fi":                                                {"internal/channels/whatsapp", "notifiers/whatsapp", "internal/test/sim/whatsapp"},
	"rsc.io/qr":                                                {"internal/service", "internal/cli/accounts"},
	"google.golang.org/protobuf/proto":                         {"internal/channels/whatsapp", "notifiers/whatsapp", "internal/test/sim/whatsapp"},

	"github.com/compose-spec/compose-go": {"deploy", "internal/test/compose"},
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
	if from == "internal/core" && !test {
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if strings.Contains(name, ".") && name != "github.com/google/uuid" {
				t.Errorf("%s imports %s: the vocabulary imports the standard library and google/uuid only", path, name)
			}
		}
	}
}
