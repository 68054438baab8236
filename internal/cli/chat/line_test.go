package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
)

var named = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	"esc": {Code: tea.KeyEscape}, "backspace": {Code: tea.KeyBackspace}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft},
	"right": {Code: tea.KeyRight}, "alt+d": {Code: 'd', Mod: tea.ModAlt},
}

// types presses keys by their names, or types a text, and returns the messages that were entered.
func types(l *line, keys ...string) (sent []string) {
	for _, name := range keys {
		var list []tea.KeyPressMsg
		if k, ok := named[name]; ok {
			list = append(list, k)
		} else if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
			list = append(list, tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl})
		} else {
			for _, r := range name {
				list = append(list, tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		}
		for _, k := range list {
			if what, text := l.press(k); what == entered {
				sent = append(sent, text)
			}
		}
	}
	return sent
}

func rows(l *line, width, height int) []string {
	list, _ := l.view(width, height, false)
	for i, row := range list {
		list[i] = strings.TrimRight(row, " ")
	}
	return list
}

// TestLineEdits proves what Ctrl-Y and undo bring back, and that a character of several code points is one.
func TestLineEdits(t *testing.T) {
	for _, tt := range []struct {
		want string // with the cursor as |
		keys []string
	}{
		{"one two|", []string{"one two", "ctrl+w", "ctrl+w", "ctrl+y"}},
		{"one two|", []string{"one two", "ctrl+a", "alt+d", "alt+d", "ctrl+y"}},
		{"one twoone two|", []string{"one two", "ctrl+u", "ctrl+y", "ctrl+y"}},
		{"one\ntwo|", []string{"one", "alt+enter", "two", "ctrl+a", "backspace", "ctrl+_", "ctrl+e"}},
		{"one\ntwo|", []string{`one\`, "enter", "two"}},
		{"half a line|", []string{"half a line", "ctrl+c", "ctrl+y"}},
		{"one| two", []string{"one two", "left", "left", "left", "left", "ctrl+k", "ctrl+_"}},
		{"one |", []string{"one ", "ctrl+y", "two", "ctrl+_"}},
		{"|", []string{"ctrl+_", "ctrl+y"}},
		{"a|", []string{"a👨‍👩‍👧", "backspace"}},
		{"ac|👨‍👩‍👧b", []string{"a👨‍👩‍👧b", "left", "left", "c"}},
		{"🇳🇴|🇸🇪", []string{"🇳🇴🇸🇪", "ctrl+a", "right"}},
		{"|\nb", []string{"e\u0301", "alt+enter", "b", "up", "ctrl+a", "ctrl+d"}},
		{"ab|", []string{"a", "alt+enter", "b", "ctrl+a", "backspace", "right"}},
	} {
		l := newLine(newSuggestions().complete)
		types(l, tt.keys...)
		now := l.now()
		assert.Equal(t, tt.want, now.text[:now.at]+"|"+now.text[now.at:], "%q", tt.keys)
	}
}

func TestLineRecalls(t *testing.T) {
	l := newLine(newSuggestions().complete)
	for _, text := range []string{"first", "second", "two\nlines", "second"} {
		l.history.Add(text)
	}
	types(l, "draft", "up")
	assert.Equal(t, "second", l.text())
	types(l, "up", "up")
	assert.Equal(t, "two\nlines", l.text(), "first to its first line")
	types(l, "up")
	assert.Equal(t, "first", l.text(), "and none twice")
	types(l, "up")
	assert.Equal(t, "first", l.text())
	types(l, "ctrl+n", "ctrl+n", "ctrl+n", "ctrl+n")
	assert.Equal(t, "draft", l.text(), "the draft comes back")
	assert.Equal(t, []string{"second"}, types(l, "up", "enter"))
	types(l, "ctrl+n")
	assert.Empty(t, l.text())
}

func TestLineSearches(t *testing.T) {
	l := newLine(newSuggestions().complete)
	for _, text := range []string{"trains to Oslo", "a boat", "TRAINS to Bergen", "a name"} {
		l.history.Add(text)
	}
	shown := func() string { return rows(l, 60, 10)[0] }
	types(l, "draft", "ctrl+r", "tra")
	assert.Equal(t, "search “tra”: TRAINS to Bergen", shown())
	types(l, "ctrl+r")
	assert.Equal(t, "search “tra”: trains to Oslo", shown())
	types(l, "ctrl+r")
	assert.Equal(t, "search, not found “tra”: trains to Oslo", shown())
	types(l, "ctrl+s")
	assert.Equal(t, "search “tra”: TRAINS to Bergen", shown())
	types(l, "backspace", "backspace", "backspace")
	assert.Equal(t, "search “”: draft", shown())
	l.paste("bo\nat")
	types(l, "ctrl+g")
	assert.Equal(t, "> draft", shown(), "given up")
	types(l, "ctrl+r", "boat", "ctrl+e", "!")
	assert.Equal(t, "> a boat!", shown(), "found, and changed")
	types(l, "ctrl+c", "ctrl+r", "boat", "ctrl+c")
	assert.Equal(t, ">", shown())
	assert.Equal(t, []string{"a boat"}, types(l, "ctrl+r", "boat", "enter"))
	types(l, "ctrl+r", "nothing of the kind")
	assert.Equal(t, "search, not found “nothing of the kind”: a name", shown(), "what the first letters found")
}

func TestLineCompletes(t *testing.T) {
	list := []choice{{Word: "/task", Usage: "/task ID", About: "one", Space: true}, {Word: "/tasks", About: "all"}, {Word: "/team", Space: true}, {Word: "/stop"}}
	known := true
	l := newLine(func(text string) (int, []choice) {
		from := strings.LastIndex(text, " ") + 1
		var got []choice
		for _, c := range list {
			if known && strings.HasPrefix(c.Word, text[from:]) {
				got = append(got, c)
			}
		}
		return from, got
	})
	types(l, "/s", "tab")
	assert.Equal(t, "/stop", l.text())
	types(l, "ctrl+c", "/te", "tab", "x")
	assert.Equal(t, "/team x", l.text(), "words follow")
	types(l, "ctrl+c", "/t", "tab")
	assert.Equal(t, []string{"> /t", "  /task ID  one", "  /tasks    all", "  /team"}, rows(l, 60, 20))
	types(l, "a")
	assert.Equal(t, []string{"> /ta", "  /task ID  one", "  /tasks    all"}, rows(l, 60, 20), "fewer")
	types(l, "tab")
	assert.Equal(t, []string{"> /task", "▸ /task ID  one", "  /tasks    all"}, rows(l, 60, 20))
	types(l, "tab")
	assert.Equal(t, "/tasks", l.text())
	types(l, "tab", "shift+tab")
	assert.Equal(t, "/tasks", l.text())
	assert.Equal(t, []string{"/tasks"}, types(l, "enter"))
	types(l, "/t", "tab", "esc")
	assert.Equal(t, []string{"> /t"}, rows(l, 60, 20), "Escape closes the list")
	types(l, "ctrl+c", "/t", "tab", "left")
	assert.Equal(t, []string{"> /t"}, rows(l, 60, 20), "the cursor has left the word")
	types(l, "ctrl+c", "nothing", "tab")
	assert.Equal(t, "nothing", l.text())
	known = false
	types(l, "ctrl+c", "/st", "tab")
	assert.Equal(t, "/st", l.text())
	known = true
	l.completeAgain()
	assert.Equal(t, "/stop", l.text(), "when it is known")
	known = false
	types(l, "ctrl+c", "/st", "tab", " ")
	known = true
	l.completeAgain()
	assert.Equal(t, "/st ", l.text(), "another key was pressed since")
}

// TestLineRefusesWhatIsTooLong proves that a paste is taken whole or not at all.
func TestLineRefusesWhatIsTooLong(t *testing.T) {
	l := newLine(newSuggestions().complete)
	l.paste("a\u202eb\tc\r\nd")
	assert.Equal(t, "ab    c\nd", l.text())
	l.paste(strings.Repeat("x", maxText))
	l.paste(strings.Repeat("\n", maxTextLines))
	assert.Equal(t, "ab    c\nd", l.text())
	l.paste(strings.Repeat("x", maxText-l.area.Length()))
	assert.Equal(t, maxText, l.area.Length())
}

// FuzzLine proves that whatever keys are pressed, the cursor is between characters and what is shown fits.
func FuzzLine(f *testing.F) {
	f.Add("hello\r\x12x\x13\x07/t\t\t\x7f")
	f.Add("a\n\x10\x10\x0e\x17\x15\x0b\x19\x1f\x01\x04👨‍👩‍👧\x02\x7f")
	f.Fuzz(func(t *testing.T, keys string) {
		l := newLine(func(text string) (int, []choice) {
			return strings.LastIndex(text, " ") + 1, []choice{{Word: "/task", Space: true}, {Word: "/tasks"}}[:len(text)%3]
		})
		l.history.Add("one\ntwo")
		l.history.Add("/task")
		for _, r := range keys[:min(len(keys), 300)] {
			switch k := (tea.KeyPressMsg{Code: r, Text: string(r)}); {
			case r == '\t':
				l.press(named["tab"])
			case r == '\n':
				l.press(named["alt+enter"])
			case r == 0x7f:
				l.press(named["backspace"])
			case r < ' ':
				l.press(tea.KeyPressMsg{Code: '`' + r, Mod: tea.ModCtrl})
			case r == 0x2029:
				l.paste(keys)
			default:
				l.press(k)
			}
			now := l.now()
			require.True(t, now.at >= 0 && now.at <= len(now.text) && utf8.ValidString(now.text[:now.at]), "%d in %q", now.at, now.text)
			shown, cursor := l.view(20, 6, false)
			require.LessOrEqual(t, len(shown), 6)
			require.True(t, cursor.Y >= 0 && cursor.Y < len(shown), "row %d of %q", cursor.Y, shown)
			for _, row := range shown {
				require.NotContains(t, row, "\x1b")
				require.LessOrEqual(t, console.Columns(row), 21)
			}
		}
	})
}
