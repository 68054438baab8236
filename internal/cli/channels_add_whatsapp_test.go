package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"rsc.io/qr"
)

// linking plays a worker whose account on WhatsApp goes through these states, one
// at each request, and stays in the last.
func linking(t *testing.T, states ...string) *fakeWorker {
	f := newFake(t)
	var n atomic.Int64
	f.mux.HandleFunc("GET /api/channels", func(w http.ResponseWriter, _ *http.Request) {
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
	got := f.errand(t, "channels", "add", "whatsapp", "--json")
	require.Equal(t, 0, got.code, got.err)
	assert.Equal(t, `{"account":"whatsapp/main","qr":"2@first,a"}`+"\n"+`{"account":"whatsapp/main","qr":"2@second,b"}`+"\n"+
		`{"account":"whatsapp/main","linked":true,"detail":"as +4930100"}`+"\n", got.out)
	file, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(file), "  whatsapp:\n    - {account: main}\n")

	f = linking(t, `"state":"connecting"`, `"state":"logged out","detail":"no phone yet"`, `"state":"logged out","link":"2@first,a"`, `"state":"connected","detail":"as +4930100"`)
	got = f.errand(t, "channels", "add", "whatsapp")
	require.Equal(t, 0, got.code, got.err)
	code, err := qr.Encode("2@first,a", qr.L)
	require.NoError(t, err)
	for _, want := range []string{"logged out: no phone yet. Waiting for a code", "Linked devices", strings.Join(drawing(code), "\n"), "whatsapp/main is linked, as +4930100."} {
		assert.Contains(t, got.out, want)
	}
	after, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Equal(t, string(file), string(after), "it is there once")
}

// TestDrawing proves that each dot of a code is where it belongs, within a rim.
func TestDrawing(t *testing.T) {
	code, err := qr.Encode("2@"+strings.Repeat("abcdefgh", 25), qr.L)
	require.NoError(t, err)
	black := map[rune][2]bool{' ': {true, true}, '▄': {true, false}, '▀': {false, true}, '█': {}}
	for i, row := range drawing(code) {
		letters := []rune(row)
		require.Len(t, letters, code.Size+4)
		for j, r := range letters {
			for k, dark := range black[r] {
				assert.Equal(t, code.Black(j-2, 2*i+k-2), dark, "%d %d", j, 2*i+k)
			}
		}
	}
}

// TestAddWhatsAppWithoutWorker proves that the account is kept, and that it is said
// what has to be done before a phone can be linked.
func TestAddWhatsAppWithoutWorker(t *testing.T) {
	t.Chdir(t.TempDir())
	got := alone(t, "", "channels", "add", "whatsapp", "--server", "127.0.0.1:1")
	assert.Equal(t, 0, got.code, "it was written down, as one is told to do first")
	assert.Contains(t, got.out, "whatsapp/main is in errand.yaml now.\nNext: start the worker (go run ./worker), then run this again")
	got = alone(t, "", "channels", "add", "whatsapp", "--server", "127.0.0.1:1")
	assert.Equal(t, int(unreachable), got.code)
	assert.Contains(t, got.err, "whatsapp/main is in errand.yaml, and no worker answers at http://127.0.0.1:1: start it")
	f := newFake(t)
	f.on("GET /api/channels", 200, `[]`)
	got = f.errand(t, "channels", "add", "whatsapp", "--account", "finn", "--agent", "finn", "--json")
	assert.Equal(t, 0, got.code, got.err)
	assert.JSONEq(t, `{"account": "whatsapp/finn", "detail": "restart the worker, then run this again to link the phone"}`, got.out)
	got = f.errand(t, "channels", "add", "whatsapp", "--account", "finn", "--agent", "finn")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "does not know it: restart it there")
	file, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(file), "- {account: main}\n    - {account: finn, agent: finn}\n")

	f = linking(t, `"state":"logged out","link":"2@x"`)
	got = f.errand(t, "channels", "add", "whatsapp", "--json", "--wait", "1ms")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "whatsapp/main is not linked yet: run this again")
	if got.out != "" {
		assert.True(t, json.Valid([]byte(got.out)))
	}
}

// TestAddWhatsAppByPhone proves that one code is shown for as long as it lasts,
// whatever there is to scan meanwhile, and what is wrong with a number.
func TestAddWhatsAppByPhone(t *testing.T) {
	t.Chdir(t.TempDir())
	states := []string{`"state":"logged out","link":"2@first,a"`, `"state":"logged out","link":"2@second,b"`, `"state":"logged out"`, `"state":"logged out","link":"2@third,c"`, `"state":"connected"`}
	for _, flag := range []string{"--json", "--account=main"} {
		f := linking(t, states...)
		f.on("POST /api/channels/whatsapp/main/code", 200, `{"code":"ABCD-EFGH"}`)
		got := f.errand(t, "channels", "add", "whatsapp", "--phone", "+49 171 1234567", flag)
		require.Equal(t, 0, got.code, got.err)
		if flag == "--json" {
			code := `{"account":"whatsapp/main","code":"ABCD-EFGH"}` + "\n"
			assert.Equal(t, code+code+`{"account":"whatsapp/main","linked":true}`+"\n", got.out)
			continue
		}
		assert.Contains(t, got.out, "Link with phone number instead")
		assert.Equal(t, 2, strings.Count(got.out, "    ABCD-EFGH\n"))
		assert.NotContains(t, got.out, "█")
	}
	f := linking(t, states...)
	f.on("POST /api/channels/whatsapp/main/code", 400, `{"error":{"code":"phone","message":"that is no phone number"}}`)
	got := f.errand(t, "channels", "add", "whatsapp", "--phone", "171")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "that is no phone number")
}
