package chat

import (
	"regexp"
	"strings"

	"errand/internal/cli/console"
	"errand/internal/markup"
)

type form struct {
	style console.Style
	width int
}

func (f form) whole(speaker, text string) []string {
	a := flow{speaker: speaker}
	return append(a.add(f, text), a.finish(f)...)
}

// A flow is Markdown that arrives in pieces. It renders each complete block once, and
// redraws the open block. The zero value is empty.
type flow struct {
	speaker string // empty: not shown
	all     string // all text so far
	shown   int    // bytes of all that were returned as rows
	begun   bool   // some rows were returned
	gap     bool   // a blank line precedes the next block
}

// rest returns the part of text that follows the streamed text. fits reports whether text
// begins with the streamed text.
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

func (a *flow) finish(f form) []string {
	rows := a.rows(f, a.all[a.shown:])
	a.shown = len(a.all)
	if !a.begun && len(rows) == 0 && a.speaker != "" {
		return []string{f.style.Cyan(a.speaker + ":")}
	}
	return rows
}

// mostOpen is small, because rows that have left the screen cannot be redrawn.
const mostOpen = 12

func (a *flow) open(f form, height int) []string {
	rows := a.rows(f, a.all[a.shown:])
	rows = rows[max(0, len(rows)-min(mostOpen, max(1, height-6))):]
	for i, row := range rows {
		if console.Columns(row) > f.width { // a line of code, cut until its block is complete
			rows[i] = fitPlain(row, f.width)
		}
	}
	return rows
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

func fitPlain(row string, width int) string {
	return console.Fit(escape.ReplaceAllString(row, ""), width)
}

// apart matches blocks that need the speaker's name on a row of its own.
var apart = regexp.MustCompile("^\\s*([-*+>#|]|\\d+[.)]\\s|```|~~~)")

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

// endOfBlock returns the length in bytes of the first block, with the blank lines after it; 0
// if the block may continue. An unfinished line counts only if it cannot belong to the block.
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
