package console

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTableIsAlignedByWhatIsSeen(t *testing.T) {
	table := Table{Head: []string{"A", "B"}}
	table.Add("漢字", "wide")
	table.Add("é", "a very long text that goes on")
	var b strings.Builder
	table.write(&b, false, 24)
	assert.Equal(t, "A     B\n漢字  wide\né     a very long text…\n", b.String())
}

// TestRareColumns proves that a column in which nothing stands is left out where it may be,
// and that what is cut and coloured stays the same then.
func TestRareColumns(t *testing.T) {
	table := Table{Head: []string{"A", "RARE", "STATE", "TEXT"}, Rare: []int{1}, Loose: []int{3}, Painted: 2, Paint: func(value, padded string) string { return "<" + padded + ">" }}
	table.Add("a", "", "open", "a very long text that goes on")
	table.Add("b", "", "", "")
	var b strings.Builder
	table.write(&b, false, 24)
	assert.Equal(t, "A  STATE  TEXT\na  <open   >a very long t…\nb  <       >\n", b.String())
	table.Add("c", "x", "", "")
	b.Reset()
	table.write(&b, false, 40)
	assert.Contains(t, b.String(), "A  RARE  STATE  TEXT\n")
}

// TestTablesFitTheTerminal proves that what is named by its id can be named, and
// that no row is wider than the terminal, whatever is in it.
func TestTablesFitTheTerminal(t *testing.T) {
	long := strings.Repeat("漢字 wide words ", 20)
	tab := Table{Head: []string{"ID", "NAME", "CHANNEL", "STATE", "TEXT"}, Loose: []int{4}}
	tab.Add("p-2222aaaa", long, "discord", "suspended", long)
	tab.Add("p-3333bbbb", "Bo", "web", "active", "short")
	var b strings.Builder
	tab.write(&b, false, 80)
	for row := range strings.Lines(b.String()) {
		assert.LessOrEqual(t, Columns(strings.TrimRight(row, "\n")), 80, row)
	}
	assert.Contains(t, b.String(), "p-2222aaaa  漢字 wide words 漢字 wide words 漢字 wi…  discord  suspended  漢字…\n", "free text goes first")
	assert.Contains(t, b.String(), "  discord  suspended  ", "what is narrow is not cut")
	b.Reset()
	ids := Table{Head: []string{"ID", "NAME"}}
	ids.Add("0b7e1c2d-1111-4222-8333-444455556666", "short name")
	ids.write(&b, false, 40)
	assert.Contains(t, b.String(), "0b7e1c2d-1111-4222-8333-444455556666  short…\n")
	b.Reset()
	tab.write(&b, false, 0)
	assert.Contains(t, b.String(), strings.TrimSpace(long), "a script gets all of it")
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.Local)
	con := Console{Began: now}
	for want, d := range map[string]time.Duration{
		"just now": time.Second, "30 s ago": 30 * time.Second, "5 min ago": 5 * time.Minute, "23 h ago": 23*time.Hour + 59*time.Minute,
		"3 d ago": 75 * time.Hour, "2026-01-01": 30 * 24 * time.Hour,
	} {
		assert.Equal(t, want, con.Ago(now.Add(-d)))
	}
	assert.Equal(t, "-", con.Ago(time.Time{}))
	for want, d := range map[string]time.Duration{"in 30 s": 30 * time.Second, "in 5 min": 5*time.Minute + time.Second, "in 26 h": 26*time.Hour + time.Minute,
		"in 3 d": 75 * time.Hour, "2026-03-02": 30 * 24 * time.Hour, "5 min ago": -5 * time.Minute} {
		assert.Equal(t, want, con.Ahead(now.Add(d)))
	}
	assert.Equal(t, "-", con.Ahead(time.Time{}))
	assert.Equal(t, "12s", Lasted(12*time.Second))
	assert.Equal(t, "2m05s", Lasted(125*time.Second))
}

// TestColumns proves that what is seen as one character is measured as a terminal shows it.
func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"abc": 3, "": 0, "é": 1, "e\u0301": 1, "漢字": 4, "✅ ok": 5, "👨‍👩‍👧": 2, "🇳🇴": 2, "❤️": 2, "\x1b[36mNikki:\x1b[0m ✅": 9, "…": 1, "ｱ": 1,
	} {
		assert.Equal(t, want, Columns(text), "%q", text)
	}
	assert.Equal(t, "👨‍👩‍👧…", Fit("👨‍👩‍👧👨‍👩‍👧", 3), "a character is not cut in two")
	assert.Equal(t, "ab…", Fit("abcd", 3))
}
