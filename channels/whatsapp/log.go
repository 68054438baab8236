package whatsapp

import (
	"fmt"
	"log/slog"

	waLog "go.mau.fi/whatsmeow/util/log"
)

// libraryLog keeps what whatsmeow says of itself for who looks closely: what
// matters of it is seen in the status, and its debug output is what goes over the
// wire.
type libraryLog struct{ log *slog.Logger }

var _ waLog.Logger = libraryLog{}

func (l libraryLog) Errorf(format string, args ...any) { l.say(format, args) }
func (l libraryLog) Warnf(format string, args ...any)  { l.say(format, args) }
func (l libraryLog) Infof(string, ...any)              {}
func (l libraryLog) Debugf(string, ...any)             {}
func (l libraryLog) Sub(string) waLog.Logger           { return l }

// longestLine is how much of a line is kept: some end in a whole stanza.
const longestLine = 300

func (l libraryLog) say(format string, args []any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > longestLine {
		line = line[:longestLine] + "…"
	}
	l.log.Debug("whatsmeow", "says", line)
}
