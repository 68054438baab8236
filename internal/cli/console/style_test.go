package console

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestColoursOnlyOnATerminalThatWantsThem(t *testing.T) {
	con := Console{Getenv: vars(nil)}
	assert.True(t, con.Colours(true))
	assert.False(t, con.Colours(false))
	assert.False(t, Console{Getenv: vars(map[string]string{"NO_COLOR": "1"})}.Colours(true))
	assert.False(t, Console{Getenv: vars(map[string]string{"TERM": "dumb"})}.Colours(true))
}

func vars(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}
