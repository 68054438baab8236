package lineedit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
)

// types presses the keys that send some bytes, and returns the messages that were entered.
func types(e *Editor, bytes string) (entered []string) {
	var d Decoder
	for _, k := range append(d.Feed([]byte(bytes)), d.Flush()...) {
		if what, text := e.Press(k); what == Entered {
			entered = append(entered, text)
		}
	}
	return entered
}

const (
	left, right, up, down = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
	altEnter, shiftTab    = "\x1b\r", "\x1b[Z"
)

// TestKeys proves what each key does to what is typed. The place is shown as |.
func TestKeys(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{"ab\x01c", "c|ab"},
		{"ab\x01\x05c", "abc|"},
		{"ab\x02c", "ac|b"},
		{"ab\x02\x02\x06c", "ac|b"},
		{"ab" + left + left + right + "c", "ac|b"},
		{"ab\x1b[Hc\x1b[Fd", "cabd|"},
		{"ab\x1bOHc\x1bOFd", "cabd|"},
		{"ab\x1b[1~c\x1b[4~d", "cabd|"},
		{"one two-three\x1bb\x1bb|", "one ||two-three"},
		{"one two\x01\x1bf\x1bf!", "one two!|"},
		{"one two\x1b[1;5D!", "one !|two"},
		{"one two\x01\x1b[1;3C!", "one!| two"},
		{"one two-three\x17", "one |"},
		{"one two-three\x1b\x7f", "one two-|"},
		{"one two\x01\x1bd", "| two"},
		{"one two\x01\x1bd\x1bd\x19", "one two|"},
		{"one two\x02\x0b", "one tw|"},
		{"one two\x02\x15", "|o"},
		{"one two\x15\x19\x19", "one twoone two|"},
		{"one two\x17\x17\x19", "one two|"},
		{"ab\x7f", "a|"},
		{"ab\x08", "a|"},
		{"ab\x01\x1b[3~", "|b"},
		{"ab\x01\x04", "|b"},
		{"ab\x14", "ba|"},
		{"abc\x02\x14", "acb|"},
		{"\x7f\x04" + left + up + "\x14\x17\x0b\x19", "|"},
		{"äö\x7f", "ä|"},
		{"a👨‍👩‍👧b" + left + left + "c", "ac|👨‍👩‍👧b"},
		{"a👨‍👩‍👧\x7f", "a|"},
		{"🇳🇴🇸🇪\x7f", "🇳🇴|"},
		{"e\u0301\x7f", "|"},
		{"one" + altEnter + "two", "one\ntwo|"},
		{"one\x1b[13;2utwo", "one\ntwo|"},
		{"one\x1b[27;2;13~two", "one\ntwo|"},
		{`one\` + "\rtwo", "one\ntwo|"},
		{"one" + altEnter + "two\x01x", "one\nx|two"},
		{"one" + altEnter + "two" + up + "x", "onex|\ntwo"},
		{"o" + altEnter + "two" + up + down + "x", "o\ntx|wo"},
		{"one" + altEnter + "two\x15\x7f", "one|"},
		{"one" + altEnter + "two" + up + "\x0b", "one|two"},
		{"\x1b[200~one\rtwo\r\nthree\x1b[201~", "one\ntwo\nthree|"},
		{"\x1b[200~a\x1b[31mb\x00\u009bc\x1b[201~", "a[31mbc|"},
		{"one\x1f", "|"},
		{"one\x17\x1f", "one|"},
		{"a\x1b[1;2Pb\x1b[24~c\x1bxd\x1b[[Ae", "abcde|"},
		{"a\x1b", "a|"},
		{"a\xff\xfeb", "ab|"},
		{"half a line\x03", "|"},
		{"half a line\x03\x19", "half a line|"},
	} {
		e := &Editor{}
		assert.Empty(t, types(e, tt.typed), "%q", tt.typed)
		assert.Equal(t, tt.want, e.text[:e.at]+"|"+e.text[e.at:], "%q", tt.typed)
	}
}

func TestOutcomes(t *testing.T) {
	e := &Editor{}
	assert.Equal(t, []string{"one", "two", "", "a\nb"}, types(e, "one\rtwo\n\r"+`a\`+"\rb\r\n"))
	for _, tt := range []struct {
		typed string
		want  Outcome
	}{{"\x04", Ended}, {"\x0c", Cleared}, {"x", Goes}, {"\x03", Stopped}, {"\x04", Ended}} {
		var d Decoder
		what, _ := e.Press(d.Feed([]byte(tt.typed))[0])
		assert.Equal(t, tt.want, what, "%q", tt.typed)
	}
	types(e, strings.Repeat("a", 10))
	big := fmt.Sprintf("\x1b[200~%s\x1b[201~", strings.Repeat("b", mostText))
	types(e, big)
	assert.Len(t, e.Text(), 10, "a message is bounded")
}

// TestKeysInPieces proves that keys are the same, however their bytes come in.
func TestKeysInPieces(t *testing.T) {
	const typed = "aé漢👨‍👩‍👧\x1b[D\x1bOH\x1b\r\x1b[200~x\r\ny\rz\x1b[2é\x1b[201~\x1b[1;5C\rb\n\x7f\x1b[13;2u"
	var whole Decoder
	want := joined(whole.Feed([]byte(typed)))
	assert.False(t, whole.IsPending())
	for size := 1; size < len(typed); size++ {
		var d Decoder
		var keys []Key
		for rest := typed; rest != ""; {
			n := min(size, len(rest))
			keys = append(keys, d.Feed([]byte(rest[:n]))...)
			rest = rest[n:]
		}
		got := joined(keys)
		assert.Equal(t, want, got, "in pieces of %d", size)
	}
}

func joined(keys []Key) (list []Key) {
	for _, k := range keys {
		if n := len(list); n > 0 && k.Text != "" && list[n-1].Do == k.Do {
			list[n-1].Text += k.Text
			continue
		}
		list = append(list, k)
	}
	return list
}

func TestHistoryKeys(t *testing.T) {
	e := &Editor{History: &History{}}
	for _, text := range []string{"first", "second", "two\nlines", "second"} {
		e.History.Add(text)
	}
	types(e, "draft"+up)
	assert.Equal(t, "second", e.Text())
	types(e, up+up)
	assert.Equal(t, "two\nlines", e.Text(), "first to its first line")
	types(e, up)
	assert.Equal(t, "first", e.Text(), "and none twice")
	types(e, up)
	assert.Equal(t, "first", e.Text())
	types(e, "\x0e\x0e\x0e\x0e")
	assert.Equal(t, "draft", e.Text(), "what was being typed comes back")
	assert.Equal(t, []string{"second"}, types(e, up+"\r"))
	types(e, "\x0e")
	assert.Empty(t, e.Text())
}

func TestSearch(t *testing.T) {
	e := &Editor{History: &History{}, Words: Words{Search: "search", None: "not found"}}
	for _, text := range []string{"trains to Oslo", "a boat", "TRAINS to Bergen", "a name"} {
		e.History.Add(text)
	}
	shown := func() string { return e.View(60, 10, false).Rows[0] }
	types(e, "draft\x12tra")
	assert.Equal(t, "search “tra”: TRAINS to Bergen", shown())
	types(e, "\x12")
	assert.Equal(t, "search “tra”: trains to Oslo", shown())
	types(e, "\x12")
	assert.Equal(t, "search, not found “tra”: trains to Oslo", shown())
	types(e, "\x13")
	assert.Equal(t, "search “tra”: TRAINS to Bergen", shown())
	types(e, "\x7f\x7f\x7f")
	assert.Equal(t, "search “”: draft", shown())
	types(e, "boat\x07")
	assert.Equal(t, "> draft", shown(), "given up")
	types(e, "\x12boat\x05!")
	assert.Equal(t, "> a boat!", shown(), "found, and changed")
	types(e, "\x03\x12boat\x03")
	assert.Equal(t, "> ", shown())
	assert.Equal(t, []string{"a boat"}, types(e, "\x12boat\r"))
	types(e, "\x12nothing of the kind")
	assert.Equal(t, "search, not found “nothing of the kind”: ", shown())
}

func TestCompletion(t *testing.T) {
	words := []Choice{{Word: "/task", Usage: "/task ID", About: "one", Space: true}, {Word: "/tasks", About: "all"}, {Word: "/team", Space: true}, {Word: "/stop"}}
	known := true
	e := &Editor{Words: Words{More: "more"}, Complete: func(text string) (int, []Choice) {
		from := strings.LastIndex(text, " ") + 1
		var list []Choice
		for _, c := range words {
			if known && strings.HasPrefix(c.Word, text[from:]) {
				list = append(list, c)
			}
		}
		return from, list
	}}
	types(e, "/s\t")
	assert.Equal(t, "/stop", e.Text())
	types(e, "\x03/te\tx")
	assert.Equal(t, "/team x", e.Text(), "words follow")
	types(e, "\x03/t\t")
	assert.Equal(t, []string{"> /t", "  /task ID  one", "  /tasks    all", "  /team"}, e.View(60, 20, false).Rows)
	types(e, "a")
	assert.Equal(t, []string{"> /ta", "  /task ID  one", "  /tasks    all"}, e.View(60, 20, false).Rows, "fewer")
	types(e, "\t")
	assert.Equal(t, []string{"> /task", "▸ /task ID  one", "  /tasks    all"}, e.View(60, 20, false).Rows)
	types(e, "\t")
	assert.Equal(t, "/tasks", e.Text())
	types(e, "\t"+shiftTab)
	assert.Equal(t, "/tasks", e.Text())
	assert.Equal(t, []string{"/tasks"}, types(e, "\r"))
	types(e, "/t\t\x1b")
	assert.Equal(t, []string{"> /t"}, e.View(60, 20, false).Rows, "Escape closes the list")
	types(e, "\x03/t\t"+left+"\t")
	assert.Equal(t, "/t", e.Text(), "who goes elsewhere has left the list")
	types(e, "\x03nothing\t")
	assert.Equal(t, "nothing", e.Text())
	known = false
	types(e, "\x03/st\t")
	assert.Equal(t, "/st", e.Text())
	known = true
	e.CompleteAgain()
	assert.Equal(t, "/stop", e.Text(), "when it is known")
	known = false
	types(e, "\x03/st\t ")
	known = true
	e.CompleteAgain()
	assert.Equal(t, "/st ", e.Text(), "something else has been typed since")
}

// TestView proves that no row is wider than the terminal, that the cursor is where typing
// goes on, and that of a long message the part with the cursor is shown.
func TestView(t *testing.T) {
	e := &Editor{}
	types(e, "漢字漢字漢 ✅👨‍👩‍👧 and\x1b[200~\tmore\x1b[201~"+altEnter+"e\u202enough")
	v := e.View(12, 20, false)
	assert.Equal(t, []string{"> 漢字漢字漢", "  ✅👨‍👩‍👧 and", "      more", "  e<U+202E>n", "  ough"}, v.Rows)
	assert.Equal(t, 4, v.Row)
	assert.Equal(t, "  ough", v.Before)
	v = e.View(12, 2, false)
	assert.Equal(t, []string{"  e<U+202E>n", "  ough"}, v.Rows)
	assert.Equal(t, 1, v.Row)
	types(e, up+"\x01")
	v = e.View(12, 2, false)
	assert.Equal(t, []string{"> 漢字漢字漢", "  ✅👨‍👩‍👧 and"}[:1], v.Rows[:1])
	assert.Equal(t, 0, v.Row)
	assert.Equal(t, "> ", v.Before)
	assert.Equal(t, []string{"> ten letter", "  s", "  and", "> 0123456789", "  abc"}, append(Shown("ten letters\nand", 12), Shown("0123456789 abc", 12)...), "no row begins with the space between two words")
	for _, row := range append(v.Rows, Shown(strings.Repeat("漢", 100), 12)...) {
		assert.LessOrEqual(t, console.Columns(row), 12)
	}
}

// FuzzKeys proves that whatever a terminal sends leaves a text that can be shown, with the
// cursor between characters, and that nothing in it steers the terminal.
func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"hello\r", "a\x1b[200~b\r\nc\x1b[201~\t\x12x\x13\x07", "\x1b[1;5D\x1bd\x19\x14\x1f", "👨‍👩‍👧\x02\x7f\xff\x1b", "/\t\t\x1b[Z\x10\x10\x0e"} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		data = data[:min(len(data), 500)] // all is shown after each key
		h := &History{}
		h.Add("one\ntwo")
		h.Add("/task")
		e := &Editor{History: h, most: 1000, Complete: func(text string) (int, []Choice) {
			return strings.LastIndex(text, " ") + 1, []Choice{{Word: "/task", Space: true}, {Word: "/tasks"}}[:len(text)%3]
		}}
		var d Decoder
		for len(data) > 0 {
			n := min(len(data), int(size%16)+1)
			keys := d.Feed(data[:n])
			if data = data[n:]; len(data) == 0 {
				keys = append(keys, d.Flush()...)
			}
			for _, k := range keys {
				e.Press(k)
				require.True(t, e.at >= 0 && e.at <= len(e.text))
				v := e.View(20, 6, false)
				require.LessOrEqual(t, len(v.Rows), 6)
				require.Less(t, v.Row, len(v.Rows))
				require.True(t, strings.HasPrefix(v.Rows[v.Row], v.Before), "%q in %q", v.Before, v.Rows[v.Row])
				for _, row := range v.Rows {
					require.NotContains(t, row, "\x1b")
					require.NotContains(t, row, "\n")
				}
			}
			require.Less(t, len(d.rest), 2*longestSequence)
		}
	})
}
