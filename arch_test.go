package errand_test

import (
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
	"":                       {},
	"agents":                 {""},
	"rights":                 {""},
	"llm":                    {""},
	"llm/llmtest":            {"", "llm"},
	"when":                   {""},
	"store":                  {"", "when", "internal/content"},
	"store/storetest":        {"", "store", "when"},
	"notifiers":              {""},
	"notifiers/markup":       {},
	"notifiers/notifiertest": {"", "notifiers"},
	"notifiers/pace":         {"notifiers"},
	"presence":               {"", "notifiers", "store"},
	"tools":                  {"", "llm", "store", "internal/content"},
	"activities":             {"", "agents", "llm", "rights", "texts", "tools", "notifiers", "store", "internal/content", "internal/metrics"},
	"workflows":              {"", "activities", "store"},
	"gateway":                {"", "when", "agents", "rights", "texts", "workflows", "activities", "store", "internal/nearest", "internal/content", "internal/metrics"},
	"web":                    {"", "gateway", "rights", "internal/metrics", "internal/netlimit", "internal/ownerkey"},
	"config":                 {"", "agents", "rights", "texts", "internal/nearest", "internal/ownerkey"},
	"internal/nearest":       {},
	"internal/freeport":      {},
	"internal/netlimit":      {},
	"internal/metrics":       {},
	"internal/ownerkey":      {},
	"internal/content":       {},
	"internal/modelcheck":    {"", "activities", "llm", "store", "texts"},
	"texts":                  {},
	"devserver":              {"internal/freeport", "internal/netlimit", "internal/ownerkey"},
	"internal/ownports":      {},
	"worker":                 {"config", "internal/app"},
	"starter":                {"*"},
	"internal/app":           {"*"},
	"internal/bench":         {"*"},
	"internal/chaos":         {"*"},
	"internal/attack":        {"*"},
	"internal/browser":       {"*"},
	"internal/telegram":      {},
	"internal/try":           {},
	"internal/try/trytest":   {"internal/try"},
	"internal/telegram/try":  {"internal/telegram", "internal/try"},
	"internal/discord/try":   {"internal/discord", "internal/try"},
	"internal/whatsapp/try":  {"internal/whatsapp", "internal/try"},
	"internal/discord":       {"notifiers/discord/rest"},
	"internal/whatsapp":      {"channels/whatsapp/redirect"},
	"notifiers/telegram":     {"", "notifiers", "notifiers/markup", "notifiers/pace"},
	"notifiers/whatsapp":     {"", "notifiers", "notifiers/markup", "notifiers/pace", "notifiers/whatsapp/address"},
	"notifiers/discord":      {"", "notifiers", "notifiers/discord/rest", "notifiers/markup", "notifiers/pace"},
	"notifiers/discord/rest": {},
	"channels":               {"", "gateway", "store"},
	"channels/telegram":      {"", "gateway", "channels"},
	"channels/channeltest":   {"", "agents", "channels", "gateway", "store"},
	"channels/discord":       {"", "gateway", "channels", "notifiers/discord/rest", "notifiers/markup"},
	"channels/whatsapp":      {"", "gateway", "channels", "notifiers/whatsapp/address"},

	"notifiers/whatsapp/address": {},
	"channels/whatsapp/redirect": {}, // for development
}

// homes says where a vendor's library may be imported.
var homes = map[string][]string{
	"github.com/sashabaranov/go-openai": {"llm"},
	"go.temporal.io/server":             {"devserver", "internal/chaos"},
	"github.com/temporalio/ui-server":   {"devserver"},
	"github.com/uptrace/bun":            {"store"},
	"github.com/pressly/goose":          {"store"},
	"github.com/jackc/pgx":              {"store"},
	"modernc.org/sqlite":                {"store", "devserver", "internal/whatsapp"},
	"go.yaml.in/yaml":                   {"config"},
	"github.com/spf13/cobra":            {"starter"},
	"github.com/chromedp":               {"internal/browser"},
	"golang.org/x/time":                 {"gateway", "web", "notifiers/pace"},
	"golang.org/x/text":                 {"store", "texts", "internal/content"},
	"github.com/olebedev/when":          {"when"},
	"github.com/teambition/rrule-go":    {"when"},
	"github.com/go-telegram/bot":        {"notifiers/telegram", "channels/telegram"},
	"github.com/bwmarrin/discordgo":     {"channels/discord", "notifiers/discord", "internal/discord"},
	"github.com/gorilla/websocket":      {"channels/discord", "notifiers/discord", "internal/discord"},
	"github.com/yuin/goldmark":          {"notifiers/markup"},
	"github.com/rivo/uniseg":            {"notifiers/markup"},
	"github.com/gabriel-vasile":         {"internal/content"},
	"go.mau.fi":                         {"channels/whatsapp", "notifiers/whatsapp", "internal/whatsapp"},
	"rsc.io/qr":                         {"web", "starter"},
	"google.golang.org/protobuf/proto":  {"channels/whatsapp", "notifiers/whatsapp", "internal/whatsapp"},
}

// local are the platforms on this machine. Only tests import them, what tries and
// measures errand, and the terminals that show them.
var local = []string{"internal/telegram", "internal/discord", "internal/whatsapp"}

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
// that no platform on this machine is in the worker, nor in the starter but for
// what it measures with. It parses the files itself: a test that asks the go
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
		if way := all.way("starter", to, map[string]bool{"internal/bench": true}); way != nil {
			t.Errorf("%s is in the starter: %s", to, strings.Join(way, " imports "))
		}
	}
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
		for vendor, home := range homes {
			if (name == vendor || strings.HasPrefix(name, vendor+"/")) && !slices.Contains(home, room) &&
				!slices.ContainsFunc(home, func(h string) bool { return strings.HasPrefix(room, h+"/") }) {
				t.Errorf("%s imports %s, whose home is %v", path, name, home)
			}
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
