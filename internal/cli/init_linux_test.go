package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli"
	"errand/internal/cli/console"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/test/clitest"
	"errand/internal/test/llmtest"
)

const goodKey, badKey = "sk-good-7k3m9q2x", "sk-bad-2x9q3m7k"

// providerHere plays a provider that knows one key and one model, and returns its address.
func providerHere(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read request: %v", err)
		}
		var asked struct{ Model string }
		json.Unmarshal(body, &asked)
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case key != goodKey:
			llmtest.Status(401, "invalid_api_key", "Incorrect API key provided: "+key)(w, r)
		case r.Method == http.MethodGet:
			llmtest.Body(200, "application/json", `{"data":[{"id":"m-small"},{"id":"m-large","max_model_len":32768}]}`)(w, r)
		case asked.Model != "m-large":
			llmtest.Status(404, "model_not_found", "there is no model "+asked.Model)(w, r)
		case bytes.Contains(body, []byte(`"role":"tool"`)):
			llmtest.Answer("fine")(w, r)
		default:
			llmtest.Answers(core.ToolCall{ID: "c1", Name: "ready", Arguments: `{"color":"yellow"}`})(w, r)
		}
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL + "/v1"
}

// A terminal is one that somebody types at.
type terminal struct {
	t            *testing.T
	keys, device *os.File
	echoed       *clitest.Output // what the terminal itself shows of what is typed
	out          *clitest.Output
	at           int
	done         chan int
}

// atTerminal begins a command at a terminal of its own.
func atTerminal(t *testing.T, ctx context.Context, env map[string]string, args ...string) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	var n, locked int32
	ioctl(t, keys, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	ioctl(t, keys, syscall.TIOCGPTN, unsafe.Pointer(&n))
	device, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	p := &terminal{t: t, keys: keys, device: device, echoed: clitest.NewOutput(), out: clitest.NewOutput(), done: make(chan int, 1)}
	t.Cleanup(func() { keys.Close() }) // the device stays open for whoever still reads it
	go io.Copy(p.echoed, keys)
	go func() {
		p.done <- cli.Run(ctx, args, console.Console{In: device, InTTY: true, Terminal: int(device.Fd()), Out: p.out, Err: p.out, Getenv: clitest.Env(env)})
	}()
	return p
}

func ioctl(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	_, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg))
	require.Zero(t, e)
}

// answers waits for a question and types a line.
func (p *terminal) answers(question, text string) {
	p.t.Helper()
	p.at = p.out.Await(p.t, p.at, question)
	if strings.Contains(question, "not shown") {
		p.silent()
	}
	_, err := io.WriteString(p.keys, text+"\n")
	require.NoError(p.t, err)
}

// silent waits until the terminal does not show what is typed.
func (p *terminal) silent() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		var state syscall.Termios
		ioctl(p.t, p.device, syscall.TCGETS, unsafe.Pointer(&state))
		return state.Lflag&syscall.ECHO == 0
	}, 20*time.Second, time.Millisecond, "the key would be shown")
}

// TestInit proves that four answers make an errand.yaml that a worker starts with and a
// key that nobody else can read and no one sees, that a wrong key and a wrong model are
// asked for again, and that a worker that has read the file gets a first message.
func TestInit(t *testing.T) {
	url := providerHere(t)
	t.Chdir(t.TempDir())
	f := clitest.NewFakeWorker(t, cli.Run)
	var restarted atomic.Bool
	f.Mux.HandleFunc("GET /api/about", func(w http.ResponseWriter, _ *http.Request) {
		about := `{"demo":true,"models":[]}`
		if restarted.Load() {
			about = `{"models":[{"model":"default","name":"m-large","ok":true}]}`
		}
		io.WriteString(w, about)
	})
	f.Streams(clitest.Messages, []string{clitest.Step, clitest.Delta, clitest.Reply})
	p := atTerminal(t, t.Context(), map[string]string{"ERRAND_SERVER": f.URL, "LANG": "es_ES.UTF-8"}, "init")
	p.answers("Number [1]: ", "3")
	p.answers("Its address [http://127.0.0.1:11434/v1]: ", "here")
	p.answers("Its address", url)
	p.answers("not shown; Enter if it needs none): ", badKey)
	p.at = p.out.Await(t, p.at, "   127.0.0.1: The model provider rejected the API key.")
	p.at = p.out.Await(t, p.at, "the key was not accepted; check the key below)\n")
	p.answers("not shown; Enter if it needs none): ", goodKey)
	p.at = p.out.Await(t, p.at, " 2  m-large\n")
	p.answers("Number or name [m-small]: ", "1")
	p.at = p.out.Await(t, p.at, "m-small: The model provider doesn't have this model.")
	p.answers("Number or name [m-small]: ", "m-large")
	p.at = p.out.Await(t, p.at, "   m-large answers: calls tools, sees pictures; free (a server on your network)\n")
	for _, file := range []string{"errand.yaml", "secrets"} {
		assert.NoFileExists(t, file, "nothing is written before all is answered")
	}
	p.answers("of en, es [es]: ", "")
	p.at = p.out.Await(t, p.at, "Wrote errand.yaml: m-large answers for all agents.")
	p.at = p.out.Await(t, p.at, "has not read the file yet. Restart it")
	restarted.Store(true)
	p.answers("skips this: ", "")
	p.at = p.out.Await(t, p.at, "> ¡Hola! ")
	p.at = p.out.Await(t, p.at, "Hello.")
	require.Equal(t, 0, ended(t, p.done))
	require.Len(t, f.Asked("POST", "/api/sessions/main/messages"), 1)

	assert.Equal(t, os.FileMode(0o600), fileMode(t, "secrets/model.key"))
	assert.Equal(t, os.FileMode(0o700), fileMode(t, "secrets"))
	cfg, err := config.Load(config.Sources{Env: clitest.Env(nil)}) // as the worker does
	require.NoError(t, err)
	assert.Equal(t, config.Secret(goodKey), cfg.Models["default"].Providers[0].APIKey)
	assert.Equal(t, "m-large", cfg.Models["default"].Providers[0].Name)
	assert.Equal(t, new(true), cfg.Models["default"].Providers[0].Vision)
	assert.Equal(t, 32768, cfg.Models["default"].ContextTokens)
	assert.Equal(t, "es", cfg.Language)
	assert.Equal(t, 0, clitest.Alone(t, cli.Run, "", "config", "check").Code)
	file, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Contains(t, p.echoed.String(), "m-large", "what is no secret is seen")
	for _, key := range []string{goodKey, badKey} {
		assert.NotContains(t, p.out.String()+p.echoed.String()+string(file), key, "a key is shown nowhere")
	}

	got := f.AtTerminal(t, "", "init")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Err, "errand.yaml already exists and stays as it is. errand config check")
	after, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Equal(t, string(file), string(after))
}

// TestInitWithoutAKey proves that a server of one's own needs none, and that without a
// worker the next commands are told.
func TestInitWithoutAKey(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.HTML(404), llmtest.HTML(404), llmtest.Answers(core.ToolCall{ID: "c1", Name: "ready", Arguments: "{}"}), llmtest.Answer("fine"))
	t.Chdir(t.TempDir())
	p := atTerminal(t, t.Context(), map[string]string{"ERRAND_SERVER": "127.0.0.1:1"}, "init")
	p.answers("Number [1]: ", "3")
	p.answers("Its address", s.BaseURL())
	p.answers("not shown; Enter if it needs none): ", "")
	p.answers("Its name: ", "m-small")
	p.answers("of en, es [en]: ", "en")
	p.out.Await(t, p.at, "Next: errand serve")
	require.Equal(t, 0, ended(t, p.done))
	assert.NoFileExists(t, "secrets")
	require.Equal(t, 0, clitest.Alone(t, cli.Run, "", "config", "check").Code)
}

// TestInitInterrupted proves that Ctrl-C leaves nothing, at whichever question.
func TestInitInterrupted(t *testing.T) {
	url := providerHere(t)
	questions := [][2]string{{"Number [1]: ", "3"}, {"Its address", url}, {"not shown; Enter if it needs none): ", goodKey}, {"Number or name", "m-large"}, {"4. The language", ""}}
	for n := range questions {
		t.Run(strings.Trim(questions[n][0], ": "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			p := atTerminal(t, ctx, map[string]string{"ERRAND_SERVER": "127.0.0.1:1"}, "init")
			for _, q := range questions[:n] {
				p.answers(q[0], q[1])
			}
			p.at = p.out.Await(t, p.at, questions[n][0])
			interrupt()
			require.Equal(t, 1, ended(t, p.done))
			assert.Contains(t, p.out.String(), "errand: interrupted; nothing was written\n")
			files, err := os.ReadDir(".")
			require.NoError(t, err)
			assert.Empty(t, files)
		})
	}
}

// TestInitElsewhere proves that without a terminal it is said what to do instead.
func TestInitElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	got := clitest.Alone(t, cli.Run, "3\n", "init")
	assert.Equal(t, 2, got.Code)
	assert.Contains(t, got.Err, "run it on a terminal without --json, or set OPENAI_API_KEY, OPENAI_BASE_URL and ERRAND_MODEL")
	assert.NoFileExists(t, "errand.yaml")
}
