package chat

import (
	"fmt"

	"errand/internal/cli/client"
	"errand/internal/cli/words"
	"errand/internal/printable"
)

func fileText(l words.Language, e client.Event) string {
	if e.File == nil {
		return ""
	}
	text := l.Say("{agent} sends {file} ({n} bytes): errand files get --sent {id}", "agent", e.Who(), "file", printable.Line(e.File.Name), "n", fmt.Sprint(e.File.Size), "id", fmt.Sprint(e.File.ID))
	if body := e.Body(); body != "" {
		text = body + "\n" + text
	}
	return text
}
