package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestQuieter proves that of the SDK's lines only those go down to debug which
// say nothing that is wrong.
func TestQuieter(t *testing.T) {
	canceled := fmt.Errorf("rpc error: %w", context.Canceled)
	for _, c := range []struct {
		message string
		err     error
		want    string
	}{
		{"Activity error.", errors.New("any"), "DEBUG"},
		{"Started Worker", nil, "DEBUG"},
		{"Stopped Worker", nil, "DEBUG"},
		{"Something else", canceled, "WARN"},
	} {
		var out bytes.Buffer
		log := slog.New(quieter{slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})})
		log.Warn(c.message, "Error", c.err)
		if !strings.Contains(out.String(), "level="+c.want) {
			t.Errorf("%s, %v: %s", c.message, c.err, &out)
		}
	}
}
