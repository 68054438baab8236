package browser

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"errand/internal/test/sim/mcp"
)

func TestMain(m *testing.M) {
	if mcp.Main() || workerMain() { // the MCP server, or the worker, that a test starts
		return
	}
	code := m.Run()
	if err := contactSheet(os.Getenv("ERRAND_TEST_PICTURES")); err != nil {
		fmt.Fprintln(os.Stderr, "no contact sheet:", err)
	}
	os.Exit(code)
}

func contactSheet(dir string) error {
	if dir == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		return err
	}
	var page strings.Builder
	page.WriteString("<!doctype html><meta charset=utf-8><title>Pages</title><style>body{font:12px sans-serif;display:flex;flex-wrap:wrap;gap:8px}figure{margin:0;width:300px}img{width:100%;border:1px solid #ccc}</style>\n")
	for _, file := range files {
		name := filepath.Base(file)
		fmt.Fprintf(&page, "<figure><a href=\"%[1]s\"><img src=\"%[1]s\" alt=\"\"></a><figcaption>%[2]s</figcaption></figure>\n", url.PathEscape(name), html.EscapeString(name))
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), []byte(page.String()), 0o644)
}
