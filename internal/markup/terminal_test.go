package markup_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"errand/internal/markup"
)

// TestTerminalRows proves what of Markdown a terminal shows, and how rows are broken.
func TestTerminalRows(t *testing.T) {
	const bold, italic, code, dim, off = "\x1b[1m", "\x1b[3m", "\x1b[36m", "\x1b[2m", "\x1b[0m"
	for name, tt := range map[string]struct {
		t    markup.Terminal
		text string
		want []string
	}{
		"styles":           {markup.Terminal{Width: 40, Colours: true}, "a **b** *c* `d`", []string{"a " + bold + "b" + off + " " + italic + "c" + off + " " + code + "d" + off}},
		"without colours":  {markup.Terminal{Width: 40}, "a **b** *c* `d e`", []string{"a b c `d e`"}},
		"one within other": {markup.Terminal{Width: 40, Colours: true}, "**a *b***", []string{bold + "a " + off + "\x1b[1;3mb" + off}},
		"wrapped":          {markup.Terminal{Width: 20}, "one two three four five", []string{"one two three four", "five"}},
		"room for a name":  {markup.Terminal{Width: 24, Taken: 4}, "one two three four five six", []string{"one two three four", "five six"}},
		"a style wrapped":  {markup.Terminal{Width: 20, Colours: true}, "**one two three four five**", []string{bold + "one two three four" + off, bold + "five" + off}},
		"a long word":      {markup.Terminal{Width: 20}, strings.Repeat("x", 30), []string{strings.Repeat("x", 20), strings.Repeat("x", 10)}},
		"wide letters":     {markup.Terminal{Width: 20}, strings.Repeat("電", 12), []string{strings.Repeat("電", 10), "電電"}},
		"a list":           {markup.Terminal{Width: 20}, "- one two three four five\n  1. six", []string{"• one two three four", "  five", "  1. six"}},
		"a list's marks":   {markup.Terminal{Width: 20, Colours: true}, "- a", []string{dim + "• " + off + "a"}},
		"a quote":          {markup.Terminal{Width: 20}, "> one two three four five\n>\n> six", []string{"│ one two three four", "│ five", "│", "│ six"}},
		"code as it is":    {markup.Terminal{Width: 20}, "```go\nfunc a() { return b, nil, nil }\n\n\tx  y\n```", []string{"    func a() { return b, nil, nil }", "    ", "    \tx  y"}},
		"a link":           {markup.Terminal{Width: 60}, "[the page](https://example.org/a)", []string{"the page (https://example.org/a)"}},
		"an address":       {markup.Terminal{Width: 60, Colours: true}, "<https://example.org>", []string{"\x1b[4mhttps://example.org" + off}},
		"tasks":            {markup.Terminal{Width: 60}, "- [x] a\n- [ ] b", []string{"• ☑ a", "• ☐ b"}},
		"nothing":          {markup.Terminal{Width: 60}, " \n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := tt.t.Rows(tt.text)
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") || len(got) != len(tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

var style = regexp.MustCompile("\x1b\\[[0-9;]+m")

// FuzzTerminal proves that whatever a model writes, rows have no escapes but those of
// styles, none is too wide but of code, and each ends without a style.
func FuzzTerminal(f *testing.F) {
	for _, seed := range []string{"**a** `b`", "\x1b[2J", "&#27;[2J &#8238;x", "> - 1. ```\nx\n```", "| a |\n|---|\n| b |", "[a](\x1b]8;;)", "- \u200d\u200d👩\u200d👩", "a\tb\r\nc"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, row := range (markup.Terminal{Width: 30, Colours: true}).Rows(text) {
			plain := style.ReplaceAllString(row, "")
			if strings.ContainsFunc(plain, func(r rune) bool { return r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 }) {
				t.Fatalf("%q steers the terminal", row)
			}
			if on := style.FindAllString(row, -1); len(on) > 0 && on[len(on)-1] != "\x1b[0m" {
				t.Fatalf("%q ends with a style", row)
			}
			if !strings.Contains(plain, "    ") && uniseg.StringWidth(plain) > 31 {
				t.Fatalf("%q is too wide", row)
			}
		}
	})
}
