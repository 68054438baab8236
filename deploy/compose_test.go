package deploy

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/config"
	"errand/internal/ownerkey"
)

// load reads compose files as Docker Compose does: what is no key of the format, or no
// value of one, is an error.
func load(t *testing.T, env map[string]string, files ...string) *types.Project {
	t.Helper()
	top, err := filepath.Abs("..")
	require.NoError(t, err)
	details := types.ConfigDetails{WorkingDir: top, Environment: env}
	for _, f := range files {
		details.ConfigFiles = append(details.ConfigFiles, types.ConfigFile{Filename: filepath.Join(top, f)})
	}
	p, err := loader.LoadWithContext(t.Context(), details)
	require.NoError(t, err)
	return p
}

func stack(t *testing.T) *types.Project { return load(t, nil, "docker-compose.yml") }

// TestErrandTakesItsEnvironment proves that errand starts with what docker-compose.yml
// gives it: it takes every variable, and the files that they name are those of the
// volumes, made by the service of secrets.
func TestErrandTakesItsEnvironment(t *testing.T) {
	service := stack(t).Services["errand"]
	secrets := t.TempDir()
	makeSecrets(t, secrets)
	asked := map[string]bool{}
	env := func(name string) string {
		asked[name] = true
		value := service.Environment[name]
		if value == nil {
			return ""
		}
		host := *value
		for _, v := range service.Volumes {
			source := v.Source
			if v.Type == types.VolumeTypeVolume {
				source = secrets
			}
			host = strings.ReplaceAll(host, v.Target, source)
		}
		return host
	}
	cfg, err := config.Load(config.Sources{Env: env})
	require.NoError(t, err)
	for name := range service.Environment {
		assert.True(t, asked[name], "errand does not read %s", name)
	}
	assert.Equal(t, "0.0.0.0:8080", cfg.Listen)
	assert.Equal(t, "http://localhost:8080", cfg.PublicURL)
	assert.Equal(t, "temporal:7233", cfg.Temporal.Address)
	assert.True(t, cfg.Demo, "without a model the demonstration answers")
	require.NoError(t, ownerkey.Check(cfg.Key.Reveal()))
	db, err := url.Parse(cfg.DatabaseURL.Reveal())
	require.NoError(t, err)
	password, err := os.ReadFile(filepath.Join(secrets, "postgres_password"))
	require.NoError(t, err)
	shown, _ := db.User.Password()
	assert.Equal(t, string(password), shown)
	postgres := stack(t).Services["postgres"]
	assert.Equal(t, *postgres.Environment["POSTGRES_USER"], db.User.Username())
	assert.Equal(t, "/"+*postgres.Environment["POSTGRES_DB"], db.Path)
	assert.Equal(t, "postgres:5432", db.Host)
	assert.True(t, underTmpfs(service, cfg.Data), "the data folder %s is not in a tmpfs, and nothing else can be written", cfg.Data)
	assert.GreaterOrEqual(t, service.GetScale(), 2)
	assert.Greater(t, time.Duration(*service.StopGracePeriod), 30*time.Second, "steps under way have 30 s to end")
}

func underTmpfs(s types.ServiceConfig, path string) bool {
	return slices.ContainsFunc(s.Tmpfs, func(t string) bool { return strings.HasPrefix(path, t+"/") })
}

func makeSecrets(t *testing.T, dir string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "secrets.sh", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestSecretsStay proves that the secrets are drawn once, differ, and are for one user
// of an image each.
func TestSecretsStay(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	makeSecrets(t, dir)
	makeSecrets(t, other)
	before := contents(t, dir)
	require.Len(t, before, 3)
	makeSecrets(t, dir)
	assert.Equal(t, before, contents(t, dir), "they were made anew")
	for name, text := range contents(t, other) {
		assert.NotEqual(t, before[name], text, name)
	}
	for name := range before {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o400), info.Mode().Perm(), name)
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		all[f.Name()] = string(text)
	}
	return all
}

// TestImages proves that the versions of the images are those of go.mod, of the
// PostgreSQL that the checks run, and exact.
func TestImages(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	version := func(module string) string {
		m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) + ` v(\S+)`).FindSubmatch(mod)
		require.NotNil(t, m, "go.mod does not require %s", module)
		return string(m[1])
	}
	want := map[string]string{
		"temporalio/server":      version("go.temporal.io/server"),
		"temporalio/admin-tools": version("go.temporal.io/server"),
		"temporalio/ui":          version("github.com/temporalio/ui-server/v2"),
		"errand":                 "latest", // built here
	}
	for name, service := range stack(t).Services {
		image, tag, _ := strings.Cut(service.Image, ":")
		if w, ok := want[image]; ok {
			assert.Equal(t, w, tag, name)
		}
		if image != "errand" {
			assert.Regexp(t, `^\d+\.\d+(\.\d+)?(-alpine)?$`, tag, "%s: %s is no exact version", name, service.Image)
		}
		if image == "postgres" {
			if installed := installedPostgres(t); installed != "" {
				assert.Equal(t, installed, strings.Split(tag, ".")[0], "the checks run PostgreSQL %s", installed)
			}
		}
	}
	goVersion := regexp.MustCompile(`(?m)^go (\S+)`).FindSubmatch(mod)
	require.NotNil(t, goVersion)
	for _, name := range dockerfiles {
		assert.Contains(t, dockerfile(t, name), "FROM golang:"+string(goVersion[1])+"-", name)
	}
}

// installedPostgres is the major version of Debian's PostgreSQL; empty: there is none.
func installedPostgres(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	require.NoError(t, err)
	if len(found) == 0 {
		return ""
	}
	return filepath.Base(filepath.Dir(filepath.Dir(found[len(found)-1])))
}

// TestServices proves of every service that it is watched, starts again, is bounded,
// and that what it mounts and waits for is there.
func TestServices(t *testing.T) {
	p := stack(t)
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				assert.FileExists(t, v.Source, name)
				assert.True(t, v.ReadOnly, "%s: %s", name, v.Target)
			} else {
				assert.Contains(t, slices.Collect(maps.Keys(p.Volumes)), v.Source, name)
			}
		}
		assert.NotNil(t, s.Logging, "%s: its log grows for ever", name)
		ends := false // others wait for its end
		for _, other := range p.Services {
			on, ok := other.DependsOn[name]
			ends = ends || ok && on.Condition == types.ServiceConditionCompletedSuccessfully
			if ok && on.Condition == types.ServiceConditionHealthy {
				assert.NotNil(t, s.HealthCheck, "%s is waited for and has no health check", name)
			}
		}
		if ends {
			continue
		}
		assert.Equal(t, "unless-stopped", s.Restart, name)
		require.NotNil(t, s.Deploy, name)
		require.NotNil(t, s.Deploy.Resources.Limits, name)
		assert.NotZero(t, s.Deploy.Resources.Limits.MemoryBytes, name)
		require.NotNil(t, s.HealthCheck, name)
		assert.Equal(t, "CMD", s.HealthCheck.Test[0], "%s: an image may have no shell", name)
	}
	for name, s := range p.Services {
		for _, port := range s.Ports {
			assert.Equal(t, "127.0.0.1", port.HostIP, "%s: other machines reach port %s", name, port.Published)
		}
	}
}

// TestHealthCommand proves that the images and docker-compose.yml ask "errand health" for
// their health. TestHealth of internal/cli proves what that command answers.
func TestHealthCommand(t *testing.T) {
	assert.Equal(t, []string{"CMD", "errand", "health"}, []string(stack(t).Services["errand"].HealthCheck.Test))
	for _, name := range dockerfiles {
		assert.Contains(t, dockerfile(t, name), `CMD ["/usr/local/bin/errand", "health"]`, name)
	}
}

// TestPorts proves that Caddy asks where the workers listen, and that what is published
// is what Caddy serves.
func TestPorts(t *testing.T) {
	p := stack(t)
	caddyfile, err := os.ReadFile("Caddyfile")
	require.NoError(t, err)
	text := string(caddyfile)
	assert.Contains(t, text, "name {$ERRAND_HOST:errand}\n\t\tport 8080")
	assert.Contains(t, text, "temporal-ui}:"+*p.Services["temporal-ui"].Environment["TEMPORAL_UI_PORT"])
	for _, port := range p.Services["caddy"].Ports {
		assert.Regexp(t, fmt.Sprintf(`(?m)^(\{\$ERRAND_SITE:)?:%d\}? \{`, port.Target), text)
	}
	check := p.Services["caddy"].HealthCheck.Test
	at, err := url.Parse(check[len(check)-1])
	require.NoError(t, err)
	assert.Contains(t, text, "\n:"+at.Port()+" {")
}

// TestBehindAName proves that the file for TLS changes what it means to, and asks for
// the name.
func TestBehindAName(t *testing.T) {
	p := load(t, map[string]string{"ERRAND_NAME": "errand.example.org"}, "docker-compose.yml", "deploy/docker-compose.tls.yml")
	assert.Equal(t, "https://errand.example.org", *p.Services["errand"].Environment["ERRAND_PUBLIC_URL"])
	assert.Equal(t, "errand.example.org", *p.Services["caddy"].Environment["ERRAND_SITE"])
	var ports []string
	for _, port := range p.Services["caddy"].Ports {
		ports = append(ports, port.Published)
	}
	assert.Equal(t, []string{"80", "443"}, ports)
	assert.Equal(t, "/run/errand/owner.key", *p.Services["errand"].Environment["ERRAND_KEY_FILE"], "the rest stays")
}
