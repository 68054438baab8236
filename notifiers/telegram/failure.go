package telegram

import (
	"errors"
	"net/http"
	"strings"

	"errand/internal/channels/telegram"
	"errand/notifiers"
)

func (a *account) explain(err error) *notifiers.SendError {
	var send *notifiers.SendError
	if errors.As(err, &send) {
		return send
	}
	return notifiers.NewSendError(telegram.Explain(err, a.name))
}

// isRefused reports whether Telegram answered 400 with a description that contains words, which
// are in lower case.
func isRefused(err error, words string) bool {
	var no *telegram.Error
	return errors.As(err, &no) && !no.Foreign && no.Code == http.StatusBadRequest && strings.Contains(strings.ToLower(no.Text), words)
}
