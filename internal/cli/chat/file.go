package chat

import (
	"fmt"

	"errand/internal/cli/client"
	"errand/internal/printable"
)

// fileText says that an agent sends a file, and how it is had.
func fileText(e client.Event) string {
	if e.File == nil {
		return ""
	}
	text := fmt.Sprintf("%s sends %s (%d bytes): errand files get --sent %d", e.Who(), printable.Line(e.File.Name), e.File.Size, e.File.ID)
	if body := e.Body(); body != "" {
		text = body + "\n" + text
	}
	return text
}
