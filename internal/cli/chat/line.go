package chat

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"errand/internal/cli/console"
)

// A line is the message being typed. Only one goroutine uses it.
type line struct {
	area    textarea.Model
	history *History
	// complete returns the completions of the last word in text, and the offset of that word.
	complete func(text string) (from int, choices []choice)

	killed  string // text deleted by the last keys
	killing bool   // the last key deleted text
	undo    []draft
	typing  bool // the last key typed a character: one undo removes the whole run
	draft   string
	back    int // position in the history; 0: the draft
	search  *search
	menu    *menu
	wanted  bool // Tab was the last key

	prompt string
	// Current width, height and prompt width of the area; setting them wraps all text again.
	size [3]int
}

// A draft is a text and the byte offset of the cursor.
type draft struct {
	text string
	at   int
}

type outcome int

const (
	goesOn  outcome = iota
	entered         // send the message
	stopped         // Ctrl-C; the message was discarded
	ended           // Ctrl-D
	cleared         // clear the screen
)

const (
	maxUndo      = 200
	maxText      = 256 << 10 // characters
	maxTextLines = 5000
)

func newLine(complete func(string) (int, []choice)) *line {
	l := &line{area: textarea.New(), history: &History{}, complete: complete}
	l.area.SetStyles(textarea.Styles{})
	l.area.SetVirtualCursor(false)
	l.area.ShowLineNumbers = false
	l.area.DynamicHeight, l.area.MaxContentHeight = true, 2*maxText // rows
	l.area.CharLimit = maxText
	keys := &l.area.KeyMap
	keys.InsertNewline.SetKeys("alt+enter", "shift+enter")
	for _, b := range []*key.Binding{&keys.Paste, &keys.CopySelection, &keys.SelectAll,
		&keys.SelectCharacterForward, &keys.SelectCharacterBackward, &keys.SelectWordForward, &keys.SelectWordBackward,
		&keys.SelectLineUp, &keys.SelectLineDown} {
		b.Unbind() // selections are not visible
	}
	l.area.Focus()
	return l
}

func (l *line) text() string { return l.area.Value() }

func (l *line) now() draft {
	rows := strings.Split(l.text(), "\n")
	row := l.area.Line()
	before := append(rows[:row:row], string([]rune(rows[row])[:l.area.Column()]))
	return draft{l.text(), len(strings.Join(before, "\n"))}
}

func (l *line) set(text string, at int) {
	l.area.SetValue(text[at:])
	l.area.MoveToBegin()
	l.insert(text[:at])
}

func (l *line) insert(text string) {
	l.area.InsertString(text)
	l.area, _ = l.area.Update(nil) // scroll to the cursor
}

func (l *line) reset() {
	l.set("", 0)
	l.undo, l.draft, l.back, l.search, l.menu = nil, "", 0, nil, nil
}

func (l *line) paste(text string) {
	text = plain(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	if l.area.Length()+len(text) > maxText || l.area.LineCount()+strings.Count(text, "\n") > maxTextLines {
		return
	}
	if l.search != nil {
		l.searches("", text)
		return
	}
	was := l.now()
	l.insert(text)
	l.killing, l.typing, l.wanted, l.menu = false, false, false, nil
	l.remember(was)
}

// plain removes control characters and marks that override the text direction.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if console.Steers(r) && r != '\n' && r != '\t' || r == '\uFFFD' {
			return -1
		}
		return r
	}, text)
}

func (l *line) remember(was draft) { l.undo = append(l.undo[max(0, len(l.undo)-maxUndo):], was) }

// press handles a key. For an entered message it returns the text and starts a new message.
func (l *line) press(k tea.KeyPressMsg) (outcome, string) {
	name := k.String()
	if l.search != nil && l.searches(name, k.Text) {
		return goesOn, ""
	}
	was, killing, typing := l.now(), l.killing, l.typing
	l.killing, l.typing, l.wanted = false, k.Text != "", false
	switch name {
	case "enter", "ctrl+j":
		if was.at < len(was.text) || !strings.HasSuffix(was.text, `\`) {
			l.reset()
			return entered, was.text
		}
		l.write(was.at-1, "\n")
	case "ctrl+c":
		if was.text != "" {
			l.killed = was.text
		}
		l.reset()
		return stopped, ""
	case "ctrl+l":
		return cleared, ""
	case "tab", "shift+tab":
		l.completeWord(name == "tab")
	default:
		if name == "ctrl+d" && was.text == "" {
			return ended, ""
		}
		l.edit(k, &was, killing)
		if now := l.now(); now.text != was.text {
			l.narrow(k.Text != "" || name == "backspace")
		} else if now.at != was.at {
			l.menu = nil
		}
	}
	if l.text() != was.text && !(typing && l.typing) {
		l.remember(was)
	}
	return goesOn, ""
}

func (l *line) edit(k tea.KeyPressMsg, was *draft, killing bool) {
	switch name := k.String(); name {
	case "ctrl+r", "ctrl+s":
		l.menu, l.search = nil, &search{before: *was}
	case "esc", "ctrl+g":
		l.menu = nil
	case "ctrl+y":
		l.insert(l.killed)
	case "delete", "ctrl+d": // the text area would also join lines
		character, _ := ansi.FirstGraphemeCluster(was.text[was.at:], ansi.GraphemeWidth)
		l.set(was.text[:was.at]+was.text[was.at+len(character):], was.at)
	case "ctrl+_", "ctrl+/":
		if n := len(l.undo) - 1; n >= 0 {
			*was, l.undo = l.undo[n], l.undo[:n] // an undo cannot be undone
			l.set(was.text, was.at)
		}
	case "up", "ctrl+p":
		if name == "up" && (l.area.Line() > 0 || l.area.LineInfo().RowOffset > 0) {
			l.area, _ = l.area.Update(k)
		} else {
			l.recall(l.back + 1)
		}
	case "down", "ctrl+n":
		if at := l.area.LineInfo(); name == "down" && (l.area.Line() < l.area.LineCount()-1 || at.RowOffset < at.Height-1) {
			l.area, _ = l.area.Update(k)
		} else {
			l.recall(l.back - 1)
		}
	default:
		for range codePoints(name, *was) {
			l.area, _ = l.area.Update(k)
		}
		l.kill(name, *was, killing)
	}
}

// codePoints returns the number of code points that a key moves over or deletes.
func codePoints(name string, now draft) int {
	character := ""
	switch name {
	case "left", "ctrl+b", "backspace", "ctrl+h":
		for rest := now.text[strings.LastIndexByte(now.text[:now.at], '\n')+1 : now.at]; rest != ""; rest = rest[len(character):] {
			character, _ = ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		}
	case "right", "ctrl+f":
		character, _ = ansi.FirstGraphemeCluster(now.text[now.at:], ansi.GraphemeWidth)
	}
	return max(1, utf8.RuneCountInString(character))
}

// kill keeps deleted text for Ctrl-Y. It joins consecutive deletions.
func (l *line) kill(name string, was draft, more bool) {
	now := l.now()
	gone := len(was.text) - len(now.text)
	switch name {
	case "ctrl+k", "alt+d", "alt+delete", "ctrl+delete", "ctrl+u", "ctrl+w", "alt+backspace", "ctrl+backspace":
	default:
		return
	}
	if l.killing = true; !more {
		l.killed = ""
	}
	if now.at < was.at {
		l.killed = was.text[now.at:was.at] + l.killed
	} else if gone > 0 {
		l.killed += was.text[was.at : was.at+gone]
	}
}

func (l *line) recall(back int) {
	if back < 0 || back > l.history.Len() {
		return
	}
	if l.back == 0 {
		l.draft = l.text()
	}
	l.back, l.menu = back, nil
	text := l.draft
	if back > 0 {
		text = l.history.At(back - 1)
	}
	l.set(text, len(text))
}

const prompt = "> "

// view returns the message and the list below it, in at most height rows, and the cursor.
func (l *line) view(width, height int, style console.Style) ([]string, *tea.Cursor) {
	l.prompt = prompt
	if s := l.search; s != nil {
		l.prompt = "search"
		if s.failed {
			l.prompt += ", " + "not found"
		}
		l.prompt = console.Fit(l.prompt+" “"+console.Line(s.query)+"”", max(width-8, 3)) + ": "
	}
	var list []string
	if l.menu != nil && height > 2 {
		list = l.menu.rows(width, min(maxChoices, (height+1)/3), "more", style)
	}
	if size := [3]int{width, max(1, height-len(list)), console.Columns(l.prompt)}; size != l.size {
		l.size, l.area.MaxHeight = size, size[1]
		l.area.SetPromptFunc(size[2], func(i textarea.PromptInfo) string {
			if i.LineNumber == 0 {
				return l.prompt
			}
			return ""
		})
		l.area.SetWidth(width)
		l.area, _ = l.area.Update(nil)
	}
	rows := strings.Split(l.area.View(), "\n")
	return append(rows, list...), l.area.Cursor()
}
