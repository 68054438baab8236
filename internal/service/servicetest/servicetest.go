// Package servicetest checks what a service answers in tests.
package servicetest

import (
	"errors"
	"strings"
	"testing"

	"errand/internal/service"
)

// WantRefusal fails a test unless err is a refusal of a kind that has a text.
func WantRefusal(t *testing.T, err error, kind service.Kind, text string) {
	t.Helper()
	var no *service.Error
	if !errors.As(err, &no) || no.Kind != kind || !strings.Contains(no.Message, text) {
		t.Errorf("the error is %v, want %s with %q", err, kind, text)
	}
}

// Must returns what a call returned, or ends the test if there was an error:
// Must(h.CancelTask(ctx, by, id, ""))(t).
func Must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
