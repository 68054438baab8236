package attack

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errand/internal/ownerkey"
	"errand/internal/temporal/devserver"
)

const publicName = "errand.example.org"

func example(t *testing.T, language string) string {
	t.Helper()
	doc, err := os.ReadFile("../../../docs/team.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(doc), "```"+language+"\n")
	block, _, end := strings.Cut(rest, "```")
	if !ok || !end {
		t.Fatalf("docs/team.md shows no %s", language)
	}
	return block
}

func nginx(dir, server string) []string {
	conf := fmt.Sprintf("daemon off; pid %[1]s/pid; error_log %[1]s/error.log; user root; worker_processes 1;\nevents {}\nhttp {\naccess_log off;\n", dir)
	for _, temp := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		conf += fmt.Sprintf("%s_temp_path %s/%s;\n", temp, dir, temp)
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf+server+"\n}\n"), 0o600); err != nil {
		panic(err)
	}
	return []string{"nginx", "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", file}
}

// proxies are set up as docs/team.md says, or as by a person who has not read it. Each
// function returns the command of a proxy from a port to the pages.
var proxies = map[string]func(t *testing.T, dir string, port int) []string{
	"nginx, plain": func(_ *testing.T, dir string, port int) []string {
		return nginx(dir, fmt.Sprintf("server { listen 127.0.0.1:%d; location / { proxy_pass %s; } }", port, here.url))
	},
	"nginx as documented": func(t *testing.T, dir string, port int) []string {
		server := strings.NewReplacer("listen 443 ssl;", fmt.Sprintf("listen 127.0.0.1:%d;", port), "http://127.0.0.1:8080", here.url).Replace(example(t, "nginx"))
		var lines []string
		for line := range strings.Lines(server) {
			if !strings.Contains(line, "ssl_certificate") { // there is no TLS here
				lines = append(lines, line)
			}
		}
		return nginx(dir, strings.Join(lines, ""))
	},
	"Caddy as documented": func(t *testing.T, dir string, port int) []string {
		site := strings.NewReplacer(publicName+" {", fmt.Sprintf("http://%s:%d {\n\tbind 127.0.0.1", publicName, port), "127.0.0.1:8080", here.Address).Replace(example(t, "caddyfile"))
		file := filepath.Join(dir, "Caddyfile")
		if err := os.WriteFile(file, []byte("{\n\tadmin off\n\tauto_https off\n}\n"+site), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"caddy", "run", "--adapter", "caddyfile", "--config", file}
	},
}

// run starts a proxy and waits until it listens.
func run(t *testing.T, dir string, port int, command []string) {
	t.Helper()
	path, err := exec.LookPath(command[0])
	if err != nil {
		if os.Getenv("ERRAND_TEST_PROXY") == "required" {
			t.Fatalf("%s is not installed", command[0])
		}
		t.Skipf("%s is not installed; ERRAND_TEST_PROXY=required makes that a failure", command[0])
	}
	log := new(paper)
	cmd := exec.Command(path, command[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(ownerkey.ChildEnv(os.Environ()), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Log(err)
		}
		<-ended
	})
	deadline, tick := time.After(30*time.Second), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", command[0], err, log)
		case <-deadline:
			t.Fatalf("%s does not listen\n%s", command[0], log)
		case <-tick.C:
		}
	}
}

// TestProxies proves that a request through a reverse proxy never counts as the owner's
// because of the proxy, and that people can log in through the documented proxies.
func TestProxies(t *testing.T) {
	for name, command := range proxies {
		t.Run(name, func(t *testing.T) {
			dir, port := t.TempDir(), devserver.FreePort(t)
			run(t, dir, port, command(t, dir, port))
			at := fmt.Sprintf("http://127.0.0.1:%d", port)
			for _, header := range [][]string{nil, {"X-Forwarded-For", "127.0.0.1"}, {"X-Real-IP", "127.0.0.1"}, {"Authorization", ""}} {
				header = append(header, "Host", publicName)
				if got := here.stranger.askAt(t, at, "POST", newToken, `{"name":"x","days":0}`, header...); got.status != http.StatusUnauthorized {
					t.Errorf("a stranger with %q: %d %s", header, got.status, got.body)
				}
			}
			if got := here.stranger.askAt(t, at, "GET", "/", "", "Host", publicName, "Accept", "text/html"); got.status != http.StatusSeeOther || !strings.HasSuffix(got.header.Get("Location"), "/login.html") {
				t.Errorf("a stranger's page: %d, to %s", got.status, got.header.Get("Location"))
			}
			if got := here.stranger.askAt(t, at, "GET", "/login.html", "", "Host", publicName); got.status != http.StatusOK {
				t.Errorf("the log-in page: %d %s", got.status, got.body)
			}
			if got := here.owner.askAt(t, at, "GET", "/api/me", "", "Host", publicName); !strings.Contains(got.body, `"id":"owner"`) {
				t.Errorf("the owner: %d %s", got.status, got.body)
			}
			if got := here.guest.askAt(t, at, "GET", "/api/me", "", "Host", publicName); !strings.Contains(got.body, `"role":"guest"`) {
				t.Errorf("a guest: %d %s", got.status, got.body)
			}
			// As a browser does: from the page under TLS that the proxy ends.
			got := here.stranger.askAt(t, at, "POST", "/login", "token="+here.Key(), "Host", publicName,
				"Origin", "https://"+publicName, "Sec-Fetch-Site", "same-origin", "Content-Type", "application/x-www-form-urlencoded")
			if cookie := got.header.Get("Set-Cookie"); got.status != http.StatusOK || !strings.Contains(cookie, "Secure") {
				t.Errorf("the log-in: %d %s, cookie %q", got.status, got.body, cookie)
			}
		})
	}
}
