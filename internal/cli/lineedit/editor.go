// Package lineedit edits a message at a terminal, as readline does: keys, history, search and
// completion. It is given the bytes of a keyboard and returns rows to show; the terminal is
// somebody else's.
package lineedit

import (
	"cmp"
	"strings"
)

// An Editor is the message that is being typed. It is used by one goroutine.
type Editor struct {
	History *History
	// Complete returns what the word may become that ends at the end of text, and where
	// in text it begins; nil: nothing is completed.
	Complete func(text string) (from int, choices []Choice)
	// Words are what the editor says itself.
	Words Words

	buffer
	killed  string // by the last keys that did
	killing bool   // the last key killed
	undo    []buffer
	typing  bool   // the last key typed: one step back takes it all
	draft   string // what was typed before older messages were looked at
	back    int    // how many messages of the history further back; 0: the draft
	search  *search
	menu    *menu
	most    int  // bytes of a message; 0: mostText
	wanted  bool // completion was asked for, and nothing has been typed since
}

// Words are texts in the language of whoever types.
type Words struct {
	Search string // "search"
	None   string // "not found"
	More   string // "more": behind a number
}

// An Outcome is what somebody wants who has pressed a key.
type Outcome int

const (
	Goes    Outcome = iota // on typing
	Entered                // the message is to be sent
	Stopped                // Ctrl-C; what was typed is gone
	Ended                  // Ctrl-D
	Cleared                // the screen is to be
)

// mostUndo bounds how many steps back there are, mostText the bytes of a message.
const (
	mostUndo = 200
	mostText = 256 << 10
)

// Text is what has been typed so far.
func (e *Editor) Text() string { return e.text }

// Press does what a key is for. A message that is entered is returned, and the next one
// begins.
func (e *Editor) Press(k Key) (Outcome, string) {
	if e.search != nil && e.searches(k) {
		return Goes, ""
	}
	killing, typing := e.killing, e.typing
	e.killing, e.typing, e.wanted = false, false, false
	before := e.buffer
	switch k.Do {
	case Enter:
		if e.at == len(e.text) && strings.HasSuffix(e.text, `\`) {
			e.cut(e.at-1, e.at)
			e.insert("\n")
			break
		}
		text := e.text
		e.reset()
		return Entered, text
	case Interrupt:
		if e.text != "" {
			e.killed = e.text // to be had back with Ctrl-Y
		}
		e.reset()
		return Stopped, ""
	case EndOfInput:
		if e.text == "" {
			return Ended, ""
		}
		e.cut(e.at, e.right())
	case ClearScreen:
		return Cleared, ""
	case Search, SearchForward:
		e.menu = nil
		e.search = &search{before: e.buffer}
	case Complete, CompleteBack:
		e.complete(k.Do == Complete)
	case Cancel:
		e.menu = nil
	case Undo:
		if n := len(e.undo); n > 0 {
			e.buffer, e.undo = e.undo[n-1], e.undo[:n-1]
			before = e.buffer
		}
	case Type, Paste:
		e.add(clean(k.Text))
		e.typing = k.Do == Type
	case Up, Previous:
		if k.Do == Previous || !e.up() {
			e.recall(e.back + 1)
		}
	case Down, Next:
		if k.Do == Next || !e.down() {
			e.recall(e.back - 1)
		}
	default:
		e.edit(k.Do, killing)
	}
	if e.text != before.text {
		if !typing || !e.typing {
			e.undo = append(e.undo[max(0, len(e.undo)-mostUndo):], before)
		}
		e.narrow(k.Do)
	} else if e.at != before.at && k.Do != Complete && k.Do != CompleteBack {
		e.menu = nil // it is for the word that one has left
	}
	return Goes, ""
}

// add inserts a text, if the message does not become too long.
func (e *Editor) add(text string) {
	if len(e.text)+len(text) <= cmp.Or(e.most, mostText) {
		e.insert(text)
	}
}

// reset begins the next message.
func (e *Editor) reset() {
	e.buffer, e.undo, e.draft, e.back, e.search, e.menu = buffer{}, nil, "", 0, nil, nil
}

// edit moves, and removes.
func (e *Editor) edit(do Action, killing bool) {
	switch do {
	case Left:
		e.at = e.left()
	case Right:
		e.at = e.right()
	case WordLeft:
		e.at = e.wordLeft(isLetter)
	case WordRight:
		e.at = e.wordRight(isLetter)
	case LineStart:
		e.at = e.lineStart()
	case LineEnd:
		e.at = e.lineEnd()
	case Backspace:
		e.cut(e.left(), e.at)
	case Delete:
		e.cut(e.at, e.right())
	case KillWordLeft:
		e.kill(e.wordLeft(isNoSpace), e.at, killing)
	case KillPartLeft:
		e.kill(e.wordLeft(isLetter), e.at, killing)
	case KillPartRight:
		e.kill(e.at, e.wordRight(isLetter), killing)
	case KillToStart:
		e.kill(e.lineStart(), e.at, killing)
	case KillToEnd:
		end := e.lineEnd()
		if end == e.at {
			end = e.right() // the line end itself
		}
		e.kill(e.at, end, killing)
	case NewLine:
		e.add("\n")
	case Yank:
		e.add(e.killed)
	case Transpose:
		e.transpose()
	}
}

// kill removes what Yank brings back; what keys in a row remove belongs together.
func (e *Editor) kill(from, to int, more bool) {
	forward := from == e.at
	gone := e.cut(from, to)
	switch {
	case !more:
		e.killed = gone
	case forward:
		e.killed += gone
	default:
		e.killed = gone + e.killed
	}
	e.killing = true
}

func (e *Editor) recall(back int) {
	if back < 0 || back > e.History.Len() {
		return
	}
	if e.back == 0 {
		e.draft = e.text
	}
	e.back, e.menu = back, nil
	if back == 0 {
		e.set(e.draft)
		return
	}
	e.set(e.History.At(back - 1))
}
