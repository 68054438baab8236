package files_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/texts"
	"errand/internal/tools"
	"errand/internal/tools/files"
)

type m = map[string]any

// TestWriteReadEditUndo proves what an agent reads of each, in order.
func TestWriteReadEditUndo(t *testing.T) {
	r := newRig(t)
	k := r.calls(8)
	require.Equal(t, "The workspace is empty.", r.run(k[0], "list_files", nil))
	require.Equal(t, "notes/plan.md is written: version 1, 9 bytes.", r.run(k[1], "write_file", m{"path": "notes/plan.md", "content": "one\ntwo\n\n"}))
	require.Equal(t, "notes/plan.md, version 1, 9 bytes, by nikki:\none\ntwo\n\n", r.run(k[2], "read_file", m{"path": "Notes/plan.md"}))
	require.Equal(t, "notes/plan.md is changed: version 2, 9 bytes; the text was replaced once.",
		r.run(k[3], "edit_file", m{"path": "notes/plan.md", "version": 1, "old": "two", "new": "six"}))
	require.Equal(t, "notes/plan.md has the content of version 1 again, as version 3; what was there stays version 2.", r.run(k[4], "undo_file", m{"path": "notes/plan.md"}))
	require.Regexp(t, `^notes/plan.md  9 bytes  version 3  nikki, \d{4}-\d\d-\d\d \d\d:\d\d UTC\n$`, r.run(k[5], "list_files", m{"folder": "notes"}))
	require.Contains(t, r.run(k[6], "read_file", m{"path": "notes/plan.md", "version": 2}), "not the latest version:\none\nsix\n")
	require.Equal(t, "notes/plan.md is written: version 4, 3 bytes, replacing version 3.", r.run(k[7], "write_file", m{"path": "notes/plan.md", "content": "all"}))
	// A second run of the same call.
	require.Equal(t, "notes/plan.md is changed: version 2, 9 bytes; the text was replaced once.",
		r.run(k[3], "edit_file", m{"path": "notes/plan.md", "version": 1, "old": "two", "new": "six"}))
	require.Contains(t, r.run(k[2], "read_file", m{"path": "notes/plan.md"}), "version 4")
}

// TestSecondEditIsTold proves that whoever edits a version that somebody has changed
// meanwhile changes nothing, and is shown what is different.
func TestSecondEditIsTold(t *testing.T) {
	r := newRig(t)
	r.put("plan.md", "# Plan\n\n1. Berlin\n2. Oslo\n3. Home\n")
	r.put("plan.md", "# Plan\n\n1. Berlin\n2. Malmö\n2b. Oslo\n3. Home\n")
	k := r.calls(4)
	got := r.run(k[0], "edit_file", m{"path": "plan.md", "version": 1, "old": "3. Home", "new": "3. Home again"})
	require.Regexp(t, `^error: nothing was changed: plan.md is no longer in version 1 \(now version 2, written by the user at [^)]*\). What is different from yours:\n`, got)
	require.Contains(t, got, "\n 1. Berlin\n-2. Oslo\n+2. Malmö\n+2b. Oslo\n 3. Home\n")
	require.Contains(t, got, "make your change again, from version 2")
	require.Contains(t, r.run(k[1], "edit_file", m{"path": "plan.md", "version": 2, "old": "3. Home", "new": "3. Home again"}), "version 3")
	require.Contains(t, r.run(k[2], "write_file", m{"path": "plan.md", "version": 2, "content": "x"}), "+3. Home again")
	r.calls(1)
	last := r.calls(1)
	r.put("other.md", "x")
	require.Regexp(t, `^error: nothing was changed: other.md is there already \(version 1, written by the user at .*\). Read it, and name the version`,
		r.run(last[0], "write_file", m{"path": "other.md", "content": "y"}))
}

// TestRefused proves what an agent is told of what cannot be done, and that it says what
// to do.
func TestRefused(t *testing.T) {
	r := newRig(t)
	r.put("a.md", "one one")
	r.put("pixel.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	r.put("empty.txt", "")
	tests := []struct {
		tool string
		args m
		want string
	}{
		{"read_file", m{"path": "none.md"}, `error: there is no file "none.md" in the workspace: list_files says which there are`},
		{"read_file", m{}, "error: the path is missing"},
		{"read_file", m{"path": "a.md", "version": 7}, "error: version 7 of a.md is not there: the latest is 1"},
		{"read_file", m{"path": "a.md", "line": 3}, "error: a.md has 1 lines; line 3 is not in it"},
		{"read_file", m{"path": "a.md", "offset": 7}, "error: a.md has 7 bytes; offset 7 is not in it"},
		{"read_file", m{"path": "pixel.png"}, "error: pixel.png is image/png, 16 bytes: only text can be read"},
		{"read_file", m{"path": "empty.txt"}, "the file is empty"},
		{"write_file", m{"path": "../a.md", "content": "x"}, "leaves its folder with .."},
		{"write_file", m{"path": "/etc/passwd", "content": "x"}, "is absolute"},
		{"write_file", m{"path": `C:\a.md`, "content": "x"}, "has a backslash"},
		{"write_file", m{"path": "a\x00b", "content": "x"}, "control character U+0000"},
		{"write_file", m{"path": "a\u202egnp.exe", "content": "x"}, "U+202E"},
		{"write_file", m{"path": "aux.txt", "content": "x"}, "is reserved"},
		{"write_file", m{"path": "a.md/b.md", "content": "x"}, "a.md is a file and no folder"},
		{"write_file", m{"path": "big.txt", "content": strings.Repeat("x", core.MaxFile+1)}, "a file has at most 20 MB"},
		{"edit_file", m{"path": "a.md", "version": 1, "old": "two", "new": "x"}, "error: the old text is not in a.md as given"},
		{"edit_file", m{"path": "a.md", "version": 1, "old": "one", "new": "x"}, "error: the old text is 2 times in a.md"},
		{"edit_file", m{"path": "a.md", "old": "one one", "new": "x"}, "a.md is there already"},
		{"edit_file", m{"path": "a.md", "version": 1, "old": "", "new": "x"}, `"old" is missing`},
		{"edit_file", m{"path": "none.md", "version": 1, "old": "x", "new": "y"}, "there is no file"},
		{"undo_file", m{"path": "a.md"}, "error: a.md has no such earlier version: its latest is 1"},
		{"find_in_files", m{"pattern": "(?=x)"}, "error: the pattern is no regular expression of RE2"},
		{"find_in_files", m{"pattern": strings.Repeat("x", 1001)}, "at most 1000"},
		{"find_in_files", m{"pattern": "(x{500}){500}"}, "error: the pattern is no regular expression"},
		{"list_files", m{"folder": ".."}, "leaves its folder"},
		{"list_files", m{"folder": "none"}, "There is no file in none."},
	}
	k := r.calls(len(tests))
	for i, tt := range tests {
		require.Contains(t, r.run(k[i], tt.tool, tt.args), tt.want, "%s %.60v", tt.tool, fmt.Sprint(tt.args))
	}
}

var goOn = regexp.MustCompile(`\n?\((?:lines|bytes) .*; continue with (line|offset) (\d+)\)$`)

// TestReadInPages proves that a file is read page by page, by lines where it has some,
// whatever it is written in, and that no page is long.
func TestReadInPages(t *testing.T) {
	wide := "\xff\xfe"
	for range 20_000 {
		wide += "\x0a\x01" // Ċ, half of which looks like the end of a line
	}
	for name, text := range map[string]string{
		"lines.txt":    strings.Repeat("Zürich, then Oslo 🚆\n", 5_000),
		"one line.txt": strings.Repeat("Zürich 🚆 ", 6_000),
		"mixed.txt":    "short\n" + strings.Repeat("é", 30_000) + "\nlast",
		"wide.txt":     wide,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.put(name, text)
			got, args := "", m{"path": name}
			for pages := 1; ; pages++ {
				require.Less(t, pages, 20)
				page := r.run(r.calls(1)[0], "read_file", args)
				require.Less(t, len(page), 34_000)
				_, page, _ = strings.Cut(page, ":\n")
				next := goOn.FindStringSubmatchIndex(page)
				if next == nil {
					got += page
					break
				}
				n, err := strconv.Atoi(page[next[4]:next[5]])
				require.NoError(t, err)
				args = m{"path": name, page[next[2]:next[3]]: n}
				if page[next[2]:next[3]] == "line" {
					got += page[:strings.LastIndex(page, "(lines ")]
				} else {
					got += page[:next[0]]
				}
			}
			if name == "wide.txt" {
				text = strings.Repeat("Ċ", 20_000)
			}
			require.Equal(t, len(text), len(got))
			require.True(t, text == got)
		})
	}
}

// TestFind proves that a search goes through all text files, says where each line is, and
// goes on where it stopped.
func TestFind(t *testing.T) {
	r := newRig(t)
	r.put("a/trains.md", "Berlin\nnight train to Oslo\nNIGHT TRAIN to Rome\n")
	r.put("b.bin", "\x00\x01\x02night train")
	r.put("c.md", strings.Repeat("x", 100_000)+" night train "+strings.Repeat("y", 100_000)+"\nnight train\n")
	got := r.run(r.calls(1)[0], "find_in_files", m{"pattern": "(?i)night train"})
	lines := strings.Split(strings.TrimSpace(got), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, "a/trains.md:2: night train to Oslo", lines[0])
	require.Equal(t, "a/trains.md:3: NIGHT TRAIN to Rome", lines[1])
	require.Regexp(t, `^c.md:1: … x{1,120} night train y{1,250} …$`, lines[2])
	require.Equal(t, "c.md:2: night train", lines[3])
	require.Equal(t, "Nothing was found, in 1 files.", r.run(r.calls(1)[0], "find_in_files", m{"pattern": "plane", "folder": "A"}))

	for i := range 30 {
		r.put(fmt.Sprintf("many/%02d.txt", i), strings.Repeat("needle\n", 10))
	}
	seen, args := 0, m{"pattern": "needle", "folder": "many"}
	next := regexp.MustCompile(`\(there is more to search; continue with after "([^"]*)", line (\d+)\)`)
	for calls := 1; ; calls++ {
		require.Less(t, calls, 10)
		got := r.run(r.calls(1)[0], "find_in_files", args)
		seen += strings.Count(got, ": needle\n")
		more := next.FindStringSubmatch(got)
		if more == nil {
			break
		}
		n, err := strconv.Atoi(more[2])
		require.NoError(t, err)
		args["after"], args["line"] = more[1], n
	}
	require.Equal(t, 300, seen)
}

// TestFindIsBounded proves that a search that would take long ends, and says how it goes
// on.
func TestFindIsBounded(t *testing.T) {
	r := newRig(t)
	text := strings.Repeat(strings.Repeat("a", 200)+"\n", 95_000) // 19 MB
	for i := range 4 {
		r.put(fmt.Sprintf("%d.txt", i), text)
	}
	began := time.Now()
	got := r.run(r.calls(1)[0], "find_in_files", m{"pattern": "(a|aa|aaa)*b"})
	t.Logf("it took %s", time.Since(began))
	require.Contains(t, got, "there is more to search")
	require.Less(t, time.Since(began), time.Minute)

	const slow = `[^c]{0,100}?[ab]`
	require.Contains(t, r.run(r.calls(1)[0], "find_in_files", m{"pattern": strings.Repeat(`[^c]{0,1000}?[ab]`, 50) + "c"}), "the pattern is too large")
	r.put("long/line.txt", strings.Repeat("a", 15_000_000)+"\nneedle\n")
	began = time.Now()
	got = r.run(r.calls(1)[0], "find_in_files", m{"pattern": strings.Repeat(slow, 9) + "c|needle", "folder": "long"})
	require.Less(t, time.Since(began), 15*time.Second, "the time is looked at within a line")
	require.Contains(t, got, "only the beginning of line 1 of long/line.txt was searched")
	require.Contains(t, got, `continue with after "", line 2`)
	require.Contains(t, r.run(r.calls(1)[0], "find_in_files", m{"pattern": "needle", "folder": "long", "line": 2}), "long/line.txt:2: needle")
}

// TestWords proves that what a tool does while it runs is said in every language.
func TestWords(t *testing.T) {
	c, err := texts.New(nil)
	require.NoError(t, err)
	list := files.Tools(nil)
	for _, tool := range list {
		require.True(t, c.Has(string(tool.Doing)), "%s: there is no text %q", tool.Name, tool.Doing)
		want := tools.Idempotent
		if slices.Contains([]string{"list_files", "read_file", "find_in_files"}, tool.Name) {
			want = tools.ReadOnly
		}
		require.Equal(t, want, tool.Effect, tool.Name)
	}
}
