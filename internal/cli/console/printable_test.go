package console

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTextShowsWhatWouldSteerATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ünï, 漢字, 👍\n\tx": "plain, ünï, 漢字, 👍\n\tx",
		"\x1b[2Jgone":            "␛[2Jgone",
		"\x1b]0;title\x07":       "␛]0;title␇",
		"over\rwritten\r\n":      "overwritten\n",
		"\u009b31m":              "<U+009B>31m",
		"a\x9bb":                 "a\uFFFDb",
		"\u202etxt.exe":          "<U+202E>txt.exe",
		"\x00\x7f\b":             "␀␡␈",
	} {
		assert.Equal(t, want, Text(in))
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[0m\u009b\x9b\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return Steers(r) && r != '\n' && r != '\t' }) {
			t.Errorf("%q became %q", s, got)
		}
		raw, err := json.Marshal(s)
		require.NoError(t, err)
		safe := JSON(raw)
		var before, after string
		require.NoError(t, json.Unmarshal(raw, &before))
		require.NoError(t, json.Unmarshal(safe, &after))
		if before != after || strings.ContainsFunc(string(safe), Steers) {
			t.Errorf("%q became %q", raw, safe)
		}
	})
}
