package chat

import (
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"errand/internal/cli/console"
)

// A page keeps the last printed rows, because Bubble Tea does not, so that it can print
// them again in another width.
type page struct {
	width, height int  // of the terminal
	live          int  // rows of the live part
	sized         bool // Bubble Tea has reported the first size

	waiting  []string // rows to print
	printing bool     // commands of flush are running; new ones could overtake them
	said     []string // the last printed rows
	owns     bool     // errand has drawn the whole terminal
	erase    bool     // clear the terminal before the next rows
}

type printed struct{}

const maxSaid = 500

func (p *page) add(text string) {
	p.waiting = append(p.waiting, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
}

// resize prints everything again, because terminals wrap old rows in different ways.
func (p *page) resize(width, height int) {
	p.erase, p.sized = p.sized, true
	if width > 0 && height > 0 {
		p.width, p.height = width, height
	}
}

func (p *page) clear() { p.said, p.erase = nil, true }

// flush prints the waiting rows one by one. If Bubble Tea inserts more rows than fit, rows
// of the live part remain between them.
func (p *page) flush(out io.Writer) tea.Cmd {
	if p.printing || len(p.waiting) == 0 && !p.erase {
		return nil
	}
	rows, anew := p.waiting, p.erase
	p.said = append(p.said, rows...)
	p.said = p.said[max(0, len(p.said)-maxSaid):]
	var commands []tea.Cmd
	if p.erase {
		// Some terminals keep the output of other programs in the scrollback.
		erase := "\x1b[H\x1b[2J"
		if p.owns || len(p.said) >= p.height {
			// Clear each row, because tmux would copy a cleared screen to its scrollback.
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
			// Bubble Tea counts one row too many for a full row, and prints nothing for an empty
			// one.
			row += " "
		}
		commands = append(commands, tea.Println(row))
	}
	if anew {
		commands = append(commands, tea.ClearScreen) // redraws the live part
	}
	p.waiting, p.printing, p.erase = nil, true, false
	return tea.Sequence(append(commands, func() tea.Msg { return printed{} })...)
}

func (p *page) fitting() []string {
	first := len(p.said)
	for room := p.height - p.live; first > 0; first-- {
		if room -= 1 + max(0, console.Columns(p.said[first-1])-1)/p.width; room < 0 {
			break
		}
	}
	return p.said[first:]
}

// ignore drops a write error: if the terminal is gone, the input ends too.
func ignore(int, error) tea.Msg { return nil }
