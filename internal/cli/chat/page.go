package chat

import (
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"errand/internal/cli/console"
)

// A page is what stands above the live part of a dialogue. Bubble Tea prints it and forgets it; the page
// keeps the last rows to print them again on a terminal of another size.
type page struct {
	width, height int  // of the terminal
	live          int  // rows of the live part
	sized         bool // Bubble Tea has reported the first size

	waiting  []string // rows to print
	printing bool     // commands of flush are on their way: others would overtake them
	said     []string // the last rows that were printed
	owns     bool     // all of the terminal is ours
	erase    bool     // the terminal is erased before the next rows
}

// printed comes when Bubble Tea has printed all rows of flush.
type printed struct{}

const maxSaid = 500

func (p *page) add(text string) {
	p.waiting = append(p.waiting, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
}

// resize prints everything again, because terminals wrap what is there in ways that cannot be known: also at a size
// that is the same again.
func (p *page) resize(width, height int) {
	p.erase, p.sized = p.sized, true
	if width > 0 && height > 0 {
		p.width, p.height = width, height
	}
}

func (p *page) clear() { p.said, p.erase = nil, true }

// flush prints the waiting rows one by one, and breaks those that are too wide for the room above the live
// part: when Bubble Tea inserts more than there is room for, rows of the live part stay between them.
func (p *page) flush(out io.Writer) tea.Cmd {
	if p.printing || len(p.waiting) == 0 && !p.erase {
		return nil
	}
	rows, anew := p.waiting, p.erase
	p.said = append(p.said, rows...)
	p.said = p.said[max(0, len(p.said)-maxSaid):]
	var commands []tea.Cmd
	if p.erase {
		erase := "\x1b[H\x1b[2J" // what other programs have printed stays above the top, in terminals that keep that
		if p.owns || len(p.said) >= p.height {
			// Row by row: tmux would keep them a second time.
			erase = "\x1b[H" + strings.Repeat("\x1b[2K\x1b[1B", p.height) + "\x1b[H"
		}
		commands = append(commands, func() tea.Msg { return ignore(fmt.Fprint(out, erase)) })
		rows, p.owns = p.fitting(), true
	}
	room := max(1, p.height-p.live)*p.width - 1
	if len(rows) > 0 {
		rows = strings.Split(ansi.Hardwrap(strings.Join(rows, "\n"), room, true), "\n")
	}
	for _, row := range rows {
		columns := console.Columns(row)
		if anew = anew || columns >= p.width; columns%p.width == 0 {
			row += " " // Bubble Tea counts a row too many for a full one, and prints none for an empty one
		}
		commands = append(commands, tea.Println(row))
	}
	if anew {
		commands = append(commands, tea.ClearScreen) // draws the live part again
	}
	p.waiting, p.printing, p.erase = nil, true, false
	return tea.Sequence(append(commands, func() tea.Msg { return printed{} })...)
}

// fitting returns the last rows that the terminal has room for.
func (p *page) fitting() []string {
	first := len(p.said)
	for room := p.height - p.live; first > 0; first-- {
		if room -= 1 + max(0, console.Columns(p.said[first-1])-1)/p.width; room < 0 {
			break
		}
	}
	return p.said[first:]
}

// ignore drops an error of the terminal: when it is gone, the input ends too.
func ignore(int, error) tea.Msg { return nil }
