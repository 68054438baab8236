package chat

import (
	"fmt"

	"errand/internal/cli/console"
)

func fileText(e console.Event) string {
	if e.File == nil {
		return ""
	}
	text := fmt.Sprintf("%s sends %s (%d bytes): errand files get --sent %d", e.Who(), console.Line(e.File.Name), e.File.Size, e.File.ID)
	if body := e.Body(); body != "" {
		text = body + "\n" + text
	}
	return text
}
