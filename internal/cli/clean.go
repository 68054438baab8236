package cli

import "errand/internal/cli/console"

// Text of models, agents and people must pass one of these before it reaches the terminal.
func clean(s string) string       { return console.Text(s) }
func line(s string) string        { return console.Line(s) }
func cleanJSON(raw []byte) []byte { return console.JSON(raw) }
