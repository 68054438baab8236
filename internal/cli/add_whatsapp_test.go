package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli"
	"errand/internal/cli/accounts"
	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

// linking plays a worker whose account on WhatsApp goes through these states, one
// at each request, and stays in the last.
func linking(t *testing.T, states ...string) *clitest.FakeWorker {
	f := clitest.NewFakeWorker(t, cli.Run)
	var n atomic.Int64
	f.Mux.HandleFunc("GET /api/channels", func(w http.ResponseWriter, _ *http.Request) {
		i := min(int(n.Add(1))-1, len(states)-1)
		_, err := w.Write([]byte(`[{"channel":"whatsapp","account":"main","agent":"nikki",` + states[i] + `}]`))
		assert.NoError(t, err)
	})
	return f
}

// TestAddWhatsApp proves that the account is written down once, and that each code
// is shown as it changes, until a phone has scanned one.
func TestAddWhatsApp(t *testing.T) {
	t.Chdir(t.TempDir())
	f := linking(t, `"state":"connecting"`, `"state":"connecting"`, `"state":"logged out","link":"2@first,a"`, `"state":"logged out","link":"2@first,a"`,
		`"state":"logged out","detail":"between two codes"`, `"state":"logged out","link":"2@second,b"`, `"state":"connected","detail":"as +4930100"`)
	got := f.Errand(t, "channels", "add", "whatsapp", "--json")
	require.Equal(t, 0, got.Code, got.Err)
	assert.Equal(t, `{"account":"whatsapp/main","qr":"2@first,a"}`+"\n"+`{"account":"whatsapp/main","qr":"2@second,b"}`+"\n"+
		`{"account":"whatsapp/main","linked":true,"detail":"as +4930100"}`+"\n", got.Out)
	file, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(file), "  whatsapp:\n    - {account: main}\n")

	f = linking(t, `"state":"connecting"`, `"state":"logged out","detail":"no phone yet"`, `"state":"logged out","link":"2@first,a"`, `"state":"connected","detail":"as +4930100"`)
	got = f.Errand(t, "channels", "add", "whatsapp")
	require.Equal(t, 0, got.Code, got.Err)
	code, err := accounts.Drawing("2@first,a")
	require.NoError(t, err)
	for _, want := range []string{"logged out: no phone yet. Waiting for a code", "Linked devices", strings.Join(code, "\n"), "whatsapp/main is linked, as +4930100."} {
		assert.Contains(t, got.Out, want)
	}
	after, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Equal(t, string(file), string(after), "it is there once")
}

// TestAddWhatsAppWithoutWorker proves that the account is kept, and that it is said
// what has to be done before a phone can be linked.
func TestAddWhatsAppWithoutWorker(t *testing.T) {
	t.Chdir(t.TempDir())
	got := clitest.Alone(t, cli.Run, "", "channels", "add", "whatsapp", "--server", "127.0.0.1:1")
	assert.Equal(t, 0, got.Code, "it was written down, as one is told to do first")
	assert.Contains(t, got.Out, "whatsapp/main is now in errand.yaml.\nNext: run errand serve, then run this again")
	got = clitest.Alone(t, cli.Run, "", "channels", "add", "whatsapp", "--server", "127.0.0.1:1")
	assert.Equal(t, int(console.ExitUnreachable), got.Code)
	assert.Contains(t, got.Err, "whatsapp/main is in errand.yaml, but no worker answers at http://127.0.0.1:1: run errand serve")
	f := clitest.NewFakeWorker(t, cli.Run)
	f.On("GET /api/channels", 200, `[]`)
	got = f.Errand(t, "channels", "add", "whatsapp", "--account", "finn", "--agent", "finn", "--json")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.JSONEq(t, `{"account": "whatsapp/finn", "detail": "restart the worker, then run this again to link the phone"}`, got.Out)
	got = f.Errand(t, "channels", "add", "whatsapp", "--account", "finn", "--agent", "finn")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Err, "does not know it yet: restart the worker")
	file, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(file), "- {account: main}\n    - {account: finn, agent: finn}\n")

	f = linking(t, `"state":"logged out","link":"2@x"`)
	got = f.Errand(t, "channels", "add", "whatsapp", "--json", "--wait", "1ms")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Err, "whatsapp/main is not linked yet: run this again")
	if got.Out != "" {
		assert.True(t, json.Valid([]byte(got.Out)))
	}
}

// TestAddWhatsAppByPhone proves that one code is shown for as long as it lasts,
// whatever there is to scan meanwhile, and what is wrong with a number.
func TestAddWhatsAppByPhone(t *testing.T) {
	t.Chdir(t.TempDir())
	states := []string{`"state":"logged out","link":"2@first,a"`, `"state":"logged out","link":"2@second,b"`, `"state":"logged out"`, `"state":"logged out","link":"2@third,c"`, `"state":"connected"`}
	for _, flag := range []string{"--json", "--account=main"} {
		f := linking(t, states...)
		f.On("POST /api/channels/whatsapp/main/code", 200, `{"code":"ABCD-EFGH"}`)
		got := f.Errand(t, "channels", "add", "whatsapp", "--phone", "+49 171 1234567", flag)
		require.Equal(t, 0, got.Code, got.Err)
		if flag == "--json" {
			code := `{"account":"whatsapp/main","code":"ABCD-EFGH"}` + "\n"
			assert.Equal(t, code+code+`{"account":"whatsapp/main","linked":true}`+"\n", got.Out)
			continue
		}
		assert.Contains(t, got.Out, "Link with phone number instead")
		assert.Equal(t, 2, strings.Count(got.Out, "    ABCD-EFGH\n"))
		assert.NotContains(t, got.Out, "█")
	}
	f := linking(t, states...)
	f.On("POST /api/channels/whatsapp/main/code", 400, `{"error":{"code":"phone","message":"that is no phone number"}}`)
	got := f.Errand(t, "channels", "add", "whatsapp", "--phone", "171")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Err, "that is no phone number")
}
