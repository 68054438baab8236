package client

import (
	"errand"
	api "errand/client"
)

// AccountName is what people call an account of ours on a platform: telegram/main.
func AccountName(ch api.Connection) string {
	return errand.Account{Channel: ch.Channel, Name: ch.Account}.String()
}
