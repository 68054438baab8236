package console

import (
	"errand/api"
	"errand/internal/core"
)

// AccountName returns the name of an account for people: telegram/main.
func AccountName(ch api.Connection) string {
	return core.Account{Channel: ch.Channel, Name: ch.Account}.String()
}
