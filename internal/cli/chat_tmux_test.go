package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/chat"
	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

// A pane is a terminal of tmux, in which somebody chats.
type pane struct {
	t      *testing.T
	socket string
	program,
	dir string // home
	env []string
}

// chatIn begins errand chat in a pane, with the messages of dir's history.
func chatIn(t *testing.T, f *clitest.FakeWorker, dir string, width, height int, env ...string) *pane {
	t.Helper()
	p := newPane(t, dir, width, height, append(env, "ERRAND_SERVER="+f.URL)...)
	p.again()
	return p
}

func newPane(t *testing.T, dir string, width, height int, env ...string) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("ERRAND_TEST_TMUX") == "required" {
			t.Fatal(err)
		}
		t.Skip("tmux is not installed; ERRAND_TEST_TMUX=required makes that a failure")
	}
	program, err := os.Executable()
	require.NoError(t, err)
	p := &pane{t: t, socket: filepath.Join(t.TempDir(), "tmux"), program: program, dir: dir,
		env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8"}, env...)}
	p.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "cat")
	t.Cleanup(func() { p.tmux("kill-server") })
	p.tmux("set", "-g", "window-size", "manual")
	return p
}

// again begins errand chat once more.
func (p *pane) again() {
	p.t.Helper()
	p.tmux("respawn-pane", "-k", "-t", "0", fmt.Sprintf("'%s' errand chat; stty -a | grep -c -e ' icanon.* echo '; cat", p.program))
	p.awaits("Ctrl-D")
	p.shows(">")
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...)
	cmd.Env, cmd.Dir = p.env, p.dir
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, "tmux %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// types presses keys by tmux' names for them: Enter, C-a, M-b.
func (p *pane) types(keys ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys", "-t", "0"}, keys...)...)
}

func (p *pane) screen() string {
	p.t.Helper()
	return strings.TrimRight(p.tmux("capture-pane", "-p", "-t", "0"), "\n ")
}

// until waits until the screen is as wanted.
func (p *pane) until(want string, is func(screen string) bool) {
	p.t.Helper()
	var screen string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if screen = p.screen(); is(screen) {
			return
		}
	}
	require.Fail(p.t, "not on the screen", "want:\n%s\n\nthere is:\n%s", want, screen)
}

// awaits waits until text is on the screen, shows until that is all that is on it.
func (p *pane) awaits(text string) {
	p.t.Helper()
	p.until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// shows waits until rows are the last ones of the screen.
func (p *pane) shows(rows ...string) {
	p.t.Helper()
	want := strings.Join(rows, "\n")
	p.until(want, func(screen string) bool { return strings.HasSuffix("\n"+screen, "\n"+want) })
}

// cursor waits until the cursor is in a column of the row that begins so.
func (p *pane) cursor(column int, begin string) {
	p.t.Helper()
	p.until(fmt.Sprintf("the cursor at %d of %q", column, begin), func(screen string) bool {
		var x, y int
		_, err := fmt.Sscan(p.tmux("display", "-p", "-t", "0", "#{cursor_x} #{cursor_y}"), &x, &y)
		require.NoError(p.t, err)
		rows := strings.Split(screen, "\n")
		return x == column && y < len(rows) && strings.HasPrefix(rows[y], begin)
	})
}

// sent waits for so many messages, and returns them.
func sent(t *testing.T, f *clitest.FakeWorker, n int) (texts []string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(f.Asked("POST", "/api/sessions/main/messages")) >= n }, 20*time.Second, time.Millisecond)
	for _, r := range f.Asked("POST", "/api/sessions/main/messages") {
		var m chat.Outgoing
		require.NoError(t, json.Unmarshal([]byte(r.Body), &m))
		texts = append(texts, m.Text)
	}
	return texts
}

// TestTerminal is a person who writes, in a real terminal: with the keys of readline, with
// what was written before, also at another start, in several lines, and by a paste.
func TestTerminal(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.On("GET /api/about", 200, `{}`)
	clitest.EventLog(f)
	p := chatIn(t, f, t.TempDir(), 80, 24)
	p.types("two trains", "C-a", "M-d", "three", "C-e", " to Olso", "C-b", "C-b", "C-t", "Left", "Left", "M-b", "C-k", "C-y", "Home", "C-f", "C-f")
	p.shows("> three trains to Oslo")
	p.cursor(4, "> three")
	p.types("Enter", "漢字 ✅ 👨‍👩‍👧 é", "Left", "BSpace", "x")
	p.shows("> 漢字 ✅ 👨‍👩‍👧xé")
	p.types("C-a", "Right")
	p.cursor(4, "> 漢字")
	p.types("C-e", "Enter", "one", "M-Enter", `two\`, "Enter", "three")
	p.shows("> one", "  two", "  three")
	p.types("Up", "Up", "C-a", "1 ", "Enter")
	p.tmux("set-buffer", "pasted\nin \x1b[31mtwo")
	p.tmux("paste-buffer", "-p", "-t", "0")
	p.shows("> pasted", "  in two")
	p.types("Enter")
	assert.Equal(t, []string{"three trains to Oslo", "漢字 ✅ 👨‍👩‍👧xé", "1 one\ntwo\nthree", "pasted\nin two"}, sent(t, f, 4))

	p.types("half a line", "C-c")
	p.awaits("waiting for an answer")
	p.shows(">")
	p.types("C-d")
	p.shows("1") // the terminal is as it was
	p.again()
	p.types("draft", "C-r", "rain")
	p.shows("search “rain”: three trains to Oslo")
	p.types("C-r")
	p.shows("search, not found “rain”: three trains to Oslo")
	p.types("C-g")
	p.shows("> draft")
	p.types("C-u", "Up", "Up")
	p.shows("> pasted", "  in two")
	p.types("Up")
	p.shows("> 1 one", "  two", "  three")
	p.types("C-l")
	p.until("nothing else", func(screen string) bool { return screen == "> 1 one\n  two\n  three" })
}

// TestTerminalCompletes proves that Tab completes commands, agents and ids, and shows what
// there is, on a wide terminal and on a small one.
func TestTerminalCompletes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.On("GET /api/about", 200, `{}`)
	f.On("GET /api/commands", 200, `[{"name":"/agents","usage":"/agents","about":"the agents you can talk with"},{"name":"/agent","usage":"/agent [NAME] [MESSAGE]","about":"talk with an agent","takes":true},
		{"name":"/cancel","usage":"/cancel ID [REASON]","about":"cancel a task and what it delegated","takes":true},{"name":"/answer","usage":"/answer ID TEXT","about":"answer a question","takes":true}]`)
	f.On("GET /api/agents", 200, `[{"name":"sasha","description":"research"},{"name":"finn","description":"engineering\u001b[2J"}]`)
	f.On("GET /api/tasks", 200, "["+taskJSON("t-7k3m9q2x", "working", "")+","+taskJSON("t-2222222b", "completed", "")+"]")
	f.On("GET /api/questions", 200, `[{"id":"q-3mxk7q2z","text":"Which day?"},{"id":"q-3mzzzzzz","text":"By train?"}]`)
	clitest.EventLog(f)
	p := chatIn(t, f, t.TempDir(), 80, 24)
	p.types("/a", "Tab")
	p.shows("> /a",
		"  /agents                  the agents you can talk with",
		"  /agent [NAME] [MESSAGE]  talk with an agent",
		"  /answer ID TEXT          answer a question")
	p.types("n")
	p.shows("> /an")
	p.types("Tab")
	p.shows("> /answer")
	p.types("q", "Tab")
	p.shows("> /answer q-3m", "  q-3mxk7q2z  Which day?", "  q-3mzzzzzz  By train?")
	p.cursor(14, "> /answer")
	p.types("Tab")
	p.shows("> /answer q-3mxk7q2z", "▸ q-3mxk7q2z  Which day?", "  q-3mzzzzzz  By train?")
	p.types(" on Monday")
	p.shows("> /answer q-3mxk7q2z on Monday")
	p.types("C-u", "/can", "Tab", "7", "Tab")
	p.shows("> /cancel t-7k3m9q2x")
	p.types("too late")
	p.shows("> /cancel t-7k3m9q2x too late")
	p.types("C-u", "ask @s", "Tab")
	p.shows("> ask @sasha")
	p.types("and @", "Tab")
	p.shows("> ask @sasha and @", "  @sasha  research", "  @finn   engineering␛[2J")
	p.types("Escape")
	p.shows("> ask @sasha and @")
	p.types("C-u", "/", "Tab")
	p.awaits("/cancel ID")
	p.tmux("resize-window", "-t", "0", "-x", "40", "-y", "12")
	p.shows("> /", "  /agents          the agents you can…", "  /agent [NAME]…   talk with an agent", "  /cancel ID [RE…  cancel a task and w…", "  /answer ID TEXT  answer a question")
	p.tmux("resize-window", "-t", "0", "-x", "40", "-y", "9")
	p.shows("> /", "  /agents          the agents you can…", "  /agent [NAME]…   talk with an agent", "  … 2 more")
}

// TestTerminalIsResized is D22: a terminal that is made narrower and wider again while a
// reply comes and a message is typed shows each of them once, whatever they are made of.
func TestTerminalIsResized(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.On("GET /api/about", 200, `{}`)
	out := clitest.EventLog(f)
	p := chatIn(t, f, t.TempDir(), 80, 24)
	typed := "a line that is typed meanwhile, with 漢字漢字 and 👨‍👩‍👧 and ✅✅, wider than 40"
	p.types(typed, "Left", "Left", "Left", "Left")
	out <- `{"type":"delta","agent":"nikki","turn":1,"text":"The first row of what is being said is long enough for two rows"}`
	p.awaits("Nikki is working: answering (")
	wide := func() {
		t.Helper()
		p.until("each once", func(screen string) bool {
			rows := strings.Split(screen, "\n")
			return len(rows) == 4 && strings.HasPrefix(rows[0], "Chat main at") && rows[1] == "Nikki: The first row of what is being said is long enough for two rows" &&
				strings.HasPrefix(rows[2], "Nikki is working") && rows[3] == "> "+typed
		})
		p.cursor(2+console.Columns(typed)-4, "> a line that is typed")
	}
	wide()
	for range 2 {
		p.tmux("resize-window", "-t", "0", "-x", "40", "-y", "12")
		p.shows("> a line that is typed meanwhile, with", "  漢字漢字 and 👨‍👩‍👧 and ✅✅, wider than", "  40")
		p.until("once", func(screen string) bool {
			return strings.Count(screen, "The first row") == 1 && strings.Count(screen, "is working") == 1
		})
		p.tmux("resize-window", "-t", "0", "-x", "80", "-y", "24")
		wide()
	}
	out <- `{"id":4,"type":"notice","turn":1,"text":"The turn was stopped."}`
	p.until("broken off, and then said why", func(screen string) bool {
		return strings.HasSuffix(screen, "\nNikki: The first row of what is being said is long enough for two rows\n… broken off\nThe turn was stopped.\n> "+typed)
	})
}

// TestTerminalIsRepliedTo proves that what comes in stands above what is typed, on a
// terminal that is too low for all of it.
func TestTerminalIsRepliedTo(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.On("GET /api/about", 200, `{}`)
	out := clitest.EventLog(f)
	p := chatIn(t, f, t.TempDir(), 40, 12)
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	p.tmux("set-buffer", strings.Join(lines, "\n"))
	p.tmux("paste-buffer", "-p", "-t", "0")
	p.shows("  line 19", "  line 20")
	out <- `{"type":"delta","agent":"nikki","turn":1,"text":"- one\n- two\n- three"}`
	p.awaits("• three\nNikki is working: answering (0s)\n")
	p.shows("  line 20")
	p.types("!")
	out <- `{"id":7,"type":"reply","agent":"nikki","turn":1,"text":"- one\n- two\n- three\n- four"}`
	p.until("the reply, and then the message", func(screen string) bool {
		return !strings.Contains(screen, "is working") && strings.HasSuffix(screen, "\n  line 20!")
	})
	p.types("Enter")
	assert.Equal(t, []string{strings.Join(lines, "\n") + "!"}, sent(t, f, 1))
	p.shows("  line 20!", "waiting for an answer (0s)", ">")
	assert.Contains(t, p.tmux("capture-pane", "-p", "-S", "-", "-t", "0"), "• three\n• four\n> line 1\n")
}

// TestTerminalIsWide proves that code which is as wide as the terminal, or wider, is there whole, once, and that
// the message below it stays in its place, also where both need more rows than there are.
func TestTerminalIsWide(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.On("GET /api/about", 200, `{}`)
	out := clitest.EventLog(f)
	p := chatIn(t, f, t.TempDir(), 40, 8)
	for i, columns := range []int{36, 76, 100, 200} {
		code := strings.Repeat("0123456789", 20)[:columns]
		p.types(strings.Repeat("word ", 30), "C-a")
		out <- fmt.Sprintf(`{"id":%d,"type":"reply","agent":"nikki","turn":%d,"text":"%sEnd %d."}`, i+10, i+1, "```\\n"+code+"\\n```\\n\\n", i)
		p.until("the reply above the message", func(screen string) bool {
			_, below, found := strings.Cut(screen, fmt.Sprintf("End %d.\n", i))
			return found && strings.HasPrefix(below, "> word word") && strings.Count(below, "\n") >= 3
		})
		p.cursor(2, "> word")
		all := strings.Join(strings.Fields(p.tmux("capture-pane", "-J", "-p", "-S", "-", "-t", "0")), "")
		assert.Contains(t, all, fmt.Sprintf("Nikki:%sEnd%d.", code, i))
		p.types("C-e", "C-u")
		p.shows(">")
	}
}

// TestTerminalKeepsWhatWasThere proves that what other programs have printed stays above, once, on a terminal that
// gets another size and is cleared.
func TestTerminalKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.On("GET /api/about", 200, `{}`)
	clitest.EventLog(f)
	p := newPane(t, t.TempDir(), 80, 24, "ERRAND_SERVER="+f.URL)
	p.tmux("respawn-pane", "-k", "-t", "0", fmt.Sprintf("echo printed before; '%s' errand chat; cat", p.program))
	p.awaits("Ctrl-D leaves.\n>")
	for range 2 {
		p.tmux("resize-window", "-t", "0", "-x", "60", "-y", "20")
		p.until("the greeting and the line", func(screen string) bool {
			return strings.HasPrefix(screen, "Chat main") && strings.HasSuffix(screen, "\n>")
		})
		p.tmux("resize-window", "-t", "0", "-x", "80", "-y", "24")
		p.until("the same on two rows", func(screen string) bool {
			return strings.HasPrefix(screen, "Chat main") && strings.Count(screen, "\n") == 1
		})
	}
	p.types("C-l")
	p.until("nothing else", func(screen string) bool { return screen == ">" })
	assert.Equal(t, 1, strings.Count(p.tmux("capture-pane", "-p", "-S", "-", "-t", "0"), "printed before"))
}

// TestTerminalMasksAKey proves that a key that is typed is not shown, and that the next answer is.
func TestTerminalMasksAKey(t *testing.T) {
	t.Parallel()
	p := newPane(t, t.TempDir(), 100, 24)
	p.tmux("respawn-pane", "-k", "-t", "0", fmt.Sprintf("'%s' errand init; cat", p.program))
	p.awaits("1.")
	p.types("1", "Enter")
	p.awaits("(not shown)")
	tty := strings.TrimSpace(p.tmux("display", "-p", "-t", "0", "#{pane_tty}"))
	require.Eventually(t, func() bool {
		state, err := exec.Command("stty", "-F", tty, "-a").Output()
		return err == nil && strings.Contains(string(state), " -echo ")
	}, 20*time.Second, time.Millisecond)
	p.types("sk-typed-secret", "Enter")
	p.awaits("3.")
	p.types("shown")
	p.awaits("shown")
	assert.NotContains(t, p.tmux("capture-pane", "-p", "-S", "-", "-t", "0"), "sk-typed")
}

// TestTerminalOfASpanishPerson proves that the terminal shows the texts of the worker as they
// come, in the language of the person, and its own in English, whatever LANG says.
func TestTerminalOfASpanishPerson(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.On("GET /api/about", 200, `{"paused":true}`)
	f.On("GET /api/commands", 200, `[{"name":"/status","usage":"/status","about":"qué pasa aquí"},{"name":"/stop","usage":"/stop [all]","about":"parar"}]`)
	out := clitest.EventLog(f)
	p := chatIn(t, f, t.TempDir(), 80, 24, "LANG=es_ES.UTF-8")
	p.shows("errand is paused. It keeps messages, and answers them after errand resume.", ">")
	out <- clitest.Step
	p.awaits("\nNikki is working: thinking (0s)\n")
	out <- `{"id":5,"type":"notice","turn":1,"text":"El turno se ha parado."}`
	p.shows("El turno se ha parado.", ">")
	p.types("/st", "Tab")
	p.shows("> /st", "  /status      qué pasa aquí", "  /stop [all]  parar")
	p.types("C-c", "C-c")
	p.shows("1")
}
