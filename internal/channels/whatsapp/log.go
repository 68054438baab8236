package whatsapp

import (
	"fmt"
	"log/slog"

	signal "go.mau.fi/libsignal/logger"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// libraryLog logs whatsmeow's warnings and errors at debug level. It drops whatsmeow's own debug
// output, which is wire traffic.
type libraryLog struct {
	log  *slog.Logger
	idle func() // called when every stanza of a connection is handled; may be nil
}

var _ waLog.Logger = libraryLog{}

func (l libraryLog) Errorf(format string, args ...any) { l.debug(format, args) }
func (l libraryLog) Warnf(format string, args ...any)  { l.debug(format, args) }
func (l libraryLog) Infof(string, ...any)              {}
func (l libraryLog) Sub(string) waLog.Logger           { return libraryLog{log: l.log} }

// loopEnds is the only sign that the last stanza of a connection was handled.
const loopEnds = "Closing handler queue loop"

func (l libraryLog) Debugf(format string, _ ...any) {
	if format == loopEnds && l.idle != nil {
		l.idle()
	}
}

// longestLine shortens log lines, some of which contain a whole stanza.
const longestLine = 300

func (l libraryLog) debug(format string, args []any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > longestLine {
		line = line[:longestLine] + "…"
	}
	l.log.Debug("whatsmeow", "says", line)
}

// The encryption library would write to the terminal. Its logger is a global variable without a
// lock, so it is set before anything runs.
func init() {
	var l signal.Loggable = silence{}
	signal.Setup(&l)
}

type silence struct{}

func (silence) Debug(string, string)   {}
func (silence) Info(string, string)    {}
func (silence) Warning(string, string) {}
func (silence) Error(string, string)   {}
func (silence) Configure(string)       {}
