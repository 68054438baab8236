package cli

import "errand/internal/printable"

// What models, agents and people write goes to the terminal through one of these.
func clean(s string) string       { return printable.Text(s) }
func line(s string) string        { return printable.Line(s) }
func cleanJSON(raw []byte) []byte { return printable.JSON(raw) }
