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

// rooms says which of errand's packages each package may import. A package that
// is not listed may import none. "*" stands for all.
var rooms = map[string][]string{
	"":                              {},
	"internal/agents":               {""},
	"internal/rights":               {""},
	"internal/llm":                  {""},
	"internal/llm/llmtest":          {"", "internal/llm"},
	"internal/when":                 {""},
	"internal/store":                {"", "internal/when", "internal/content", "internal/store/sqldb"},
	"internal/store/sqldb":          {},
	"internal/store/storetest":      {"", "internal/store", "internal/when", "internal/store/sqldb"},
	"notifiers":                     {"", "internal/platform"},
	"notifiers/markup":              {},
	"notifiers/notifiertest":        {"", "notifiers"},
	"notifiers/pace":                {"notifiers"},
	"internal/presence":             {"", "notifiers", "internal/store"},
	"internal/tools":                {"", "internal/llm", "internal/store", "internal/content", "internal/when"},
	"activities":                    {"", "internal/agents", "internal/llm", "internal/rights", "internal/texts", "internal/tools", "notifiers", "internal/store", "internal/content", "internal/metrics"},
	"workflows":                     {"", "activities", "internal/store"},
	"internal/dispatch":             {"", "activities", "internal/store", "workflows"},
	"internal/reconcile":            {"", "internal/dispatch", "internal/store"},
	"internal/service":              {"", "internal/when", "internal/agents", "internal/dispatch", "internal/rights", "internal/texts", "workflows", "internal/store", "internal/metrics"},
	"internal/commands":             {"", "internal/service", "internal/rights", "internal/texts", "workflows", "activities", "internal/store", "internal/nearest", "internal/metrics"},
	"internal/intake":               {"", "internal/commands", "internal/limit", "internal/service", "internal/texts", "internal/store", "internal/content"},
	"internal/limit":                {},
	"internal/intake/intaketest":    {"internal/commands", "internal/intake", "internal/metrics", "internal/service"},
	"internal/web":                  {"", "internal/intake", "internal/limit", "internal/service", "internal/rights", "internal/metrics", "internal/netlimit", "internal/ownerkey"},
	"internal/config":               {"", "internal/agents", "internal/rights", "internal/texts", "internal/nearest", "internal/ownerkey"},
	"internal/nearest":              {},
	"internal/printable":            {},
	"internal/freeport":             {},
	"internal/netlimit":             {},
	"internal/metrics":              {},
	"internal/ownerkey":             {},
	"internal/content":              {},
	"internal/modelcheck":           {"", "activities", "internal/llm", "internal/store", "internal/texts"},
	"internal/texts":                {},
	"internal/devserver":            {"internal/freeport", "internal/netlimit", "internal/ownerkey"},
	"internal/ownports":             {},
	"worker":                        {"internal/cli/serve"},
	"cmd/errand":                    {"internal/cli"},
	"starter":                       {"internal/cli"},
	"internal/cli":                  {"", "internal/app", "internal/bench", "internal/cli/accounts", "internal/cli/chat", "internal/cli/client", "internal/cli/console", "internal/cli/serve", "internal/config", "internal/devserver", "internal/ownerkey", "internal/printable"},
	"internal/cli/accounts":         {"", "internal/cli/client", "internal/cli/console", "internal/config", "internal/platform/discord", "internal/platform/telegram", "internal/printable"},
	"internal/cli/chat":             {"", "internal/cli/client", "internal/cli/console", "internal/printable"},
	"internal/cli/client":           {"", "internal/printable"},
	"internal/cli/clitest":          {"internal/cli/console"},
	"internal/cli/console":          {"internal/printable"},
	"internal/cli/serve":            {"internal/app", "internal/config"},
	"internal/app":                  {"*"},
	"internal/bench":                {"*"},
	"internal/chaos":                {"*"},
	"internal/attack":               {"*"},
	"internal/browser":              {"*"},
	"internal/sim/telegram":         {},
	"internal/sim/try":              {},
	"internal/sim/try/trytest":      {"internal/sim/try"},
	"internal/sim/telegram/try":     {"internal/sim/telegram", "internal/sim/try"},
	"internal/sim/discord/try":      {"internal/sim/discord", "internal/sim/try"},
	"internal/sim/whatsapp/try":     {"internal/sim/whatsapp", "internal/sim/try"},
	"internal/sim/discord":          {"internal/platform/discord"},
	"internal/sim/whatsapp":         {"internal/platform/whatsapp"},
	"notifiers/telegram":            {"", "notifiers", "notifiers/markup", "notifiers/pace", "internal/platform/telegram"},
	"notifiers/whatsapp":            {"", "notifiers", "notifiers/markup", "notifiers/pace", "internal/platform/whatsapp"},
	"notifiers/discord":             {"", "notifiers", "internal/platform/discord", "notifiers/markup", "notifiers/pace"},
	"internal/platform":             {},
	"internal/platform/telegram":    {"internal/platform"},
	"internal/platform/discord":     {"internal/platform", "notifiers/markup"},
	"internal/platform/whatsapp":    {"internal/platform"},
	"internal/channels":             {"", "internal/intake", "internal/service", "internal/store"},
	"internal/channels/telegram":    {"", "internal/intake", "internal/service", "internal/channels", "internal/platform", "internal/platform/telegram"},
	"internal/channels/channeltest": {"", "internal/agents", "internal/channels", "internal/dispatch/dispatchtest", "internal/intake", "internal/intake/intaketest", "internal/service", "internal/store", "internal/store/storetest"},
	"internal/channels/discord":     {"", "internal/commands", "internal/intake", "internal/service", "internal/channels", "internal/platform", "internal/platform/discord", "notifiers/markup"},
	"internal/channels/whatsapp":    {"", "internal/intake", "internal/service", "internal/channels", "internal/platform/whatsapp"},

	"internal/dispatch/dispatchtest": {"internal/dispatch"},
	// An errand without a server wires everything but what reaches out.
	"workflows/workflowtest": {"", "activities", "internal/agents", "internal/dispatch", "internal/intake", "internal/intake/intaketest", "internal/llm/llmtest", "internal/reconcile", "internal/service", "internal/store", "internal/store/storetest", "internal/texts", "internal/tools", "notifiers", "notifiers/notifiertest", "workflows"},
}

// homes says where a vendor's library may be imported.
var homes = map[string][]string{
	"github.com/sashabaranov/go-openai": {"internal/llm"},
	"go.temporal.io/server":             {"internal/devserver", "internal/chaos"},
	"github.com/temporalio/ui-server":   {"internal/devserver"},
	"go.temporal.io/sdk/client":         {"internal/dispatch", "internal/app", "internal/devserver", "internal/bench", "workflows/workflowtest"},
	"github.com/uptrace/bun":            {"internal/store/sqldb"},
	"github.com/pressly/goose":          {"internal/store/sqldb"},
	"github.com/jackc/pgx":              {"internal/store/sqldb"},
	"modernc.org/sqlite":                {"internal/store/sqldb", "internal/devserver", "internal/sim/whatsapp"},
	"github.com/swaggest":               {"internal/web"},
	"go.yaml.in/yaml":                   {"internal/config"},
	"github.com/spf13/cobra":            {"internal/cli"},
	"github.com/chromedp":               {"internal/browser"},
	"golang.org/x/time":                 {"internal/limit", "notifiers/pace"},
	"golang.org/x/sync/semaphore":       {"internal/limit"},
	"golang.org/x/text":                 {"internal/store", "internal/texts", "internal/content"},
	"github.com/teambition/rrule-go":    {"internal/when"},
	"github.com/go-telegram/bot":        {}, // its client: internal/platform/telegram calls instead
	"github.com/go-telegram/bot/models": {"internal/platform/telegram", "notifiers/telegram", "internal/channels/telegram"},
	"github.com/bwmarrin/discordgo":     {"internal/platform/discord", "internal/channels/discord", "notifiers/discord", "internal/sim/discord"},
	"github.com/gorilla/websocket":      {"internal/platform/discord", "internal/channels/discord", "internal/sim/discord"},
	"github.com/yuin/goldmark":          {"notifiers/markup"},
	"github.com/rivo/uniseg":            {"notifiers/markup"},
	"github.com/gabriel-vasile":         {"internal/content"},
	"go.mau.fi":                         {"internal/platform/whatsapp", "internal/channels/whatsapp", "notifiers/whatsapp", "internal/sim/whatsapp"},
	"rsc.io/qr":                         {"internal/web", "internal/cli/accounts"},
	"google.golang.org/protobuf/proto":  {"internal/channels/whatsapp", "notifiers/whatsapp", "internal/sim/whatsapp"},
}

// inTests are libraries that the tests of every package may import, to see what has
// come of what they do.
var inTests = []string{"go.temporal.io/sdk/client"}

// local are the platforms on this machine. Only tests import them, what tries and
// measures errand, and the terminals that show them.
var local = []string{"internal/sim/telegram", "internal/sim/discord", "internal/sim/whatsapp"}

func mayBeLocal(room string) bool {
	return room == "internal/bench" || room == "internal/chaos" || slices.Contains(local, strings.TrimSuffix(room, "/try"))
}

// arrows are the imports of ours that are not tests', by package.
type arrows map[string][]string

// way is how one package comes to import another; nil: it does not.
func (a arrows) way(from, to string, been map[string]bool) []string {
	if from == to {
		return []string{to}
	}
	been[from] = true
	for _, next := range a[from] {
		if been[next] {
			continue
		}
		if rest := a.way(next, to, been); rest != nil {
			return append([]string{from}, rest...)
		}
	}
	return nil
}

// TestArrows proves that packages import what the house allows and no more, and
// that no platform on this machine is in the worker, nor in the commands but for
// what they measure with. It parses the files itself: a test that asks the go
// command is cached.
func TestArrows(t *testing.T) {
	files, all := 0, arrows{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (strings.HasPrefix(name, ".") && name != "." || name == "testdata" || name == "node_modules" || name == "data") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		files++
		checkImports(t, all, path, strings.HasSuffix(name, "_test.go"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("only %d files were looked at", files)
	}
	for _, to := range local {
		if way := all.way("worker", to, map[string]bool{}); way != nil {
			t.Errorf("%s is in the worker: %s", to, strings.Join(way, " imports "))
		}
		// "starter bench" measures against them, so that is what may bring them along.
		for _, program := range []string{"starter", "cmd/errand"} {
			if way := all.way(program, to, map[string]bool{"internal/bench": true}); way != nil {
				t.Errorf("%s is in %s: %s", to, program, strings.Join(way, " imports "))
			}
		}
	}
}

// TestNoServer proves that no program has the embedded Temporal server in it with
// the tag nodevserver, and that each has without.
func TestNoServer(t *testing.T) {
	for _, program := range []string{"worker", "starter", "cmd/errand"} {
		if way := wayToServer(t, program, nil, map[string]bool{}); way == nil {
			t.Errorf("%s has no server in it: this test looks in the wrong place", program)
		}
		if way := wayToServer(t, program, []string{"nodevserver"}, map[string]bool{}); way != nil {
			t.Errorf("%s has the server in it all the same: %s", program, strings.Join(way, " imports "))
		}
	}
}

// wayToServer is how one package, built with these tags, comes to import Temporal's
// server; nil: it does not.
func wayToServer(t *testing.T, from string, tags []string, been map[string]bool) []string {
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
		if rest := wayToServer(t, to, tags, been); rest != nil {
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

func checkImports(t *testing.T, all arrows, path string, test bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	room := filepath.ToSlash(filepath.Dir(path))
	if room == "." {
		room = ""
	}
	may, known := rooms[room]
	if !known {
		t.Errorf("%s: package %q has no place in the house; add it to rooms", path, room)
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
			// Tests may use other rooms to stand their own up.
			if !test && to != room && !slices.Contains(may, to) && !slices.Contains(may, "*") {
				t.Errorf("%s imports %s: %q may not", path, name, room)
			}
			if !test {
				all[room] = append(all[room], to)
				if slices.Contains(local, to) && !mayBeLocal(room) {
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
		if !slices.ContainsFunc(home, func(h string) bool { return room == h || strings.HasPrefix(room, h+"/") }) {
			t.Errorf("%s imports %s, whose home is %v", path, name, home)
		}
	}
	if room == "" && !test {
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if strings.Contains(name, ".") && name != "github.com/google/uuid" {
				t.Errorf("%s imports %s: the vocabulary imports the standard library and google/uuid only", path, name)
			}
		}
	}
}
