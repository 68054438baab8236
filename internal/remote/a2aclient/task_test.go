package a2aclient

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"errand/internal/core"
)

// TestUnseenWords proves that the characters which no reader sees are taken out of what a peer
// reports and asks.
func TestUnseenWords(t *testing.T) {
	for _, state := range []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateInputRequired} {
		task := &a2a.Task{Status: a2a.TaskStatus{State: state, Message: &a2a.Message{Parts: a2a.ContentParts{a2a.NewTextPart("pay\u200b 3\u202e kr\U000e0041?\x00")}}}}
		if got := peerTask(task).Text; got != "pay 3 kr?" {
			t.Errorf("%s: it says %q", state, got)
		}
	}
}

// FuzzAnswer proves that no answer of a peer's, be it a task, a push or a card, breaks what reads
// it; that it is bounded however it arrives; and that what is kept of it is text, and begins
// with who says so wherever it could pass for errand's own.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"id":"p-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"42\u0007"},{"raw":"AAAA"},{"url":"file:///x"},{"data":{"a":[1]}}]},null]}`,
		`{"id":"p-1","status":{"state":"TASK_STATE_FAILED","timestamp":"2026-11-26T12:00:00Z","message":{"messageId":"m","parts":[{"text":"stopped by the user"}]}}}`,
		`{"id":"p\u0000","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"parts":[null]}}}`,
		`{"name":"Oracle","supportedInterfaces":[{"url":"http://p/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"pushNotifications":true}}`,
		`{"name":"Old","url":"http://p","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","skills":[{"id":"s"}]}`,
		`{"a":"\"[{\\"}`, strings.Repeat("[", mostDepth+1), `{"status":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		read := func(r io.Reader) ([]byte, error) {
			return io.ReadAll(&boundedBody{ReadCloser: io.NopCloser(r), left: mostBytes})
		}
		got, err := read(bytes.NewReader(raw))
		if slow, fault := read(iotest.OneByteReader(bytes.NewReader(raw))); (fault == nil) != (err == nil) || err == nil && !bytes.Equal(slow, got) {
			t.Fatalf("it is read otherwise byte by byte: %v, %v", fault, err)
		}
		if err != nil {
			return
		}
		_, _ = a2av0.NewAgentCardParser()(raw)
		var task a2a.Task
		if json.Unmarshal(raw, &task) != nil {
			return
		}
		_ = isID(string(task.ID))
		out := peerTask(&task)
		if !utf8.ValidString(out.Text) || strings.ContainsFunc(out.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) || utf8.RuneCountInString(out.Text) > longest+200 {
			t.Fatalf("what is kept is %q", out.Text)
		}
		if !slices.Contains([]core.TaskState{core.Working, core.InputRequired, core.Completed}, out.State) &&
			!strings.HasPrefix(out.Text, "The peer has ") && !strings.HasPrefix(out.Text, "The task was canceled at the peer: ") {
			t.Fatalf("it does not say who says %q", out.Text)
		}
	})
}
