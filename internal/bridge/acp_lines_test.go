package bridge

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// FuzzLines proves that of whatever an editor writes each line goes on as a message or is
// answered, and that nothing goes on that is no message.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n"))
	f.Add([]byte("{\"id\":1,\"result\":{}}\r\n\n[{}]\nnull\n7\n{\"method\":7}\nno JSON"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out bytes.Buffer
		passed, pass := io.Pipe()
		done := make(chan []byte)
		go func() {
			got, _ := io.ReadAll(passed)
			done <- got
		}()
		screen(bytes.NewReader(raw), pass, &out)
		got, said := 0, 0
		for line := range bytes.Lines(<-done) {
			if got++; !json.Valid(line) || fault(bytes.TrimSpace(line)) != nil {
				t.Fatalf("%q has gone on", line)
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			if said++; !json.Valid(line) {
				t.Fatalf("it is answered %q", line)
			}
		}
		lines := 0
		for line := range bytes.Lines(raw) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		if got+said != lines {
			t.Fatalf("of %d lines %d have gone on, and %d are answered", lines, got, said)
		}
	})
}
