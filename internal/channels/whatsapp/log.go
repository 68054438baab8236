package whatsapp

import (
	"fmt"
	"log/slog"

	signal "go.mau.fi/libsignal/logger"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// libraryLog keeps what whatsmeow says of itself for who looks closely: what
// matters of it is seen in the status, and its debug output is what goes over the
// wire.
type libraryLog struct {
	log  *slog.Logger
	idle func() // called when nothing of a connection is being handled any more; nil: nobody asks
}

var _ waLog.Logger = libraryLog{}

func (l libraryLog) Errorf(format string, args ...any) { l.debug(format, args) }
func (l libraryLog) Warnf(format string, args ...any)  { l.debug(format, args) }
func (l libraryLog) Infof(string, ...any)              {}
func (l libraryLog) Sub(string) waLog.Logger           { return libraryLog{log: l.log} }

// loopEnds is what whatsmeow says when it has handled the last stanza of a
// connection that is over: it tells nobody otherwise.
const loopEnds = "Closing handler queue loop"

func (l libraryLog) Debugf(format string, _ ...any) {
	if format == loopEnds && l.idle != nil {
		l.idle()
	}
}

// longestLine is how much of a line is kept: some end in a whole stanza.
const longestLine = 300

func (l libraryLog) debug(format string, args []any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > longestLine {
		line = line[:longestLine] + "…"
	}
	l.log.Debug("whatsmeow", "says", line)
}

// The library of the encryption would write to the terminal what whatsmeow tells
// too. Its logger is a global variable that is read without a lock, so it is set
// before anything runs.
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
