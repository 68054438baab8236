package client

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/cli/words"
)

// TestInLanguage proves that what went wrong is said in the language that is spoken when it
// is read, and that other errors stay as they are.
func TestInLanguage(t *testing.T) {
	gone := &ConnectError{Base: "http://h", Err: errors.New("x")}
	assert.Contains(t, InLanguage(gone, words.Spanish).Error(), "no responde en http://h")
	assert.Contains(t, InLanguage(fmt.Errorf("ask: %w", gone), words.Spanish).Error(), "no responde")
	assert.Contains(t, gone.Error(), "does not answer", "the error of others is not changed")
	assert.Same(t, gone, InLanguage(gone, words.English))
	other := errors.New("no")
	assert.Equal(t, other, InLanguage(other, words.Spanish))
}
