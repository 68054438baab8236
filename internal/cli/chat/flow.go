package chat

import (
	"regexp"
	"strings"

	"errand/internal/cli/console"
	"errand/notifiers/markup"
)

// A form is how what agents write is shown on a terminal.
type form struct {
	style console.Style
	width int
}

// whole is a whole text, with the name of who says it before it; without one, the text
// alone.
func (f form) whole(speaker, text string) []string {
	a := flow{speaker: speaker}
	return append(a.add(f, text), a.finish(f)...)
}

// A flow is a text of Markdown that comes in pieces. Its blocks (a paragraph, an item of a list, a
// table) are shown as they are meant as soon as each is there; until then the open one is
// shown as far as it goes, and drawn again with each piece. Its zero value is empty.
type flow struct {
	speaker string // who says it; empty: that is not shown
	all     string // that has come
	shown   int    // bytes of all that have been returned as rows
	begun   bool   // there have been rows
	gap     bool   // a blank line stands before what comes next
}

// rest is what is still to come of a text whose beginning has been streamed. fits reports
// whether something has been, and is its beginning.
func (a *flow) rest(text string) (rest string, fits bool) {
	if a.all == "" {
		return "", false
	}
	if rest, ok := strings.CutPrefix(text, strings.TrimLeft(a.all, " \n\t")); ok {
		return rest, true
	}
	return "", strings.TrimSpace(a.all) == strings.TrimSpace(text)
}

func (a *flow) add(f form, piece string) (rows []string) {
	a.all += piece
	for {
		n := endOfBlock(a.all[a.shown:])
		if n == 0 {
			return rows
		}
		block := a.all[a.shown : a.shown+n]
		rows = append(rows, a.rows(f, block)...)
		a.begun = a.begun || len(rows) > 0
		a.gap = strings.HasSuffix(strings.TrimRight(block, " \t"), "\n\n") || a.gap && strings.TrimSpace(block) == ""
		a.shown += n
	}
}

// finish returns the rows of what is left. Nothing else comes.
func (a *flow) finish(f form) []string {
	rows := a.rows(f, a.all[a.shown:])
	a.shown = len(a.all)
	if !a.begun && len(rows) == 0 && a.speaker != "" {
		return []string{f.style.Cyan(a.speaker + ":")}
	}
	return rows
}

// mostOpen is how many rows of an open block are shown. Its end is what is looked at, and
// what is above the top of a terminal cannot be drawn again.
const mostOpen = 12

// open returns the rows of the block that is not at its end, which may change.
func (a *flow) open(f form, height int) []string {
	rows := a.rows(f, a.all[a.shown:])
	rows = rows[max(0, len(rows)-min(mostOpen, max(1, height-6))):]
	for i, row := range rows {
		if console.Columns(row) > f.width { // of code; it is whole when the block is
			rows[i] = fitPlain(row, f.width)
		}
	}
	return rows
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// fitPlain cuts a row that has styles, and takes those away.
func fitPlain(row string, width int) string {
	return console.Fit(escape.ReplaceAllString(row, ""), width)
}

// apart is how a block begins before which the name of who speaks has a row of its own.
var apart = regexp.MustCompile("^\\s*([-*+>#|]|\\d+[.)]\\s|```|~~~)")

// rows are the rows of a block, with what stands before it.
func (a *flow) rows(f form, block string) []string {
	t := markup.Terminal{Width: f.width, Colours: bool(f.style)}
	name := ""
	if a.speaker != "" && !a.begun {
		name = f.style.Cyan(a.speaker+":") + " "
		if apart.MatchString(block) {
			return append([]string{strings.TrimRight(name, " ")}, t.Rows(block)...)
		}
		t.Taken = console.Columns(name)
	}
	rows := t.Rows(block)
	switch {
	case len(rows) == 0:
	case name != "":
		rows[0] = name + rows[0]
	case a.gap && a.begun:
		rows = append([]string{""}, rows...)
	}
	return rows
}

// endedBy ends the rows of a text that has not come to its end with why, in a row of its own
// where the last one has no room.
func (f form) endedBy(why string, rows []string) []string {
	why = "… " + why
	last := len(rows) - 1
	switch {
	case last < 0:
		return []string{f.style.Dim(why)}
	case console.Columns(rows[last])+1+console.Columns(why) > f.width:
		return append(rows, f.style.Dim(why))
	}
	rows[last] += " " + f.style.Dim(why)
	return rows
}

var (
	listItem = regexp.MustCompile(`^ ?([-*+]|\d{1,9}[.)])( |\t|\n|$)`)
	atx      = regexp.MustCompile(`^#{1,6}( |\t|\n|$)`)
	fence    = regexp.MustCompile("^ *(```+|~~~+)")
)

// endOfBlock returns how many bytes of Markdown the first block has, with the blank lines
// behind it; 0 if it may go on. A line that has not ended counts only where it cannot
// belong to the block, however it goes on.
func endOfBlock(text string) int {
	at, has, blank, open := 0, false, false, ""
	for line := range strings.Lines(text) {
		ended := strings.HasSuffix(line, "\n")
		plain := strings.TrimSpace(line)
		switch {
		case open != "":
			if ended && strings.HasPrefix(plain, open) && strings.Trim(plain, open[:1]) == "" {
				open = ""
			}
		case plain == "":
			blank = has
		case has && line[0] != ' ' && line[0] != '\t' && (blank || ended && (listItem.MatchString(line) || atx.MatchString(line) || fence.MatchString(line))):
			return at
		default:
			if mark := fence.FindStringSubmatch(line); mark != nil && ended {
				open = mark[1]
			}
			has, blank = true, false
		}
		at += len(line)
	}
	return 0
}
