package console

// A Style colours text if it is true.
type Style bool

func (s Style) paint(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s Style) Bold(text string) string   { return s.paint("1", text) }
func (s Style) Dim(text string) string    { return s.paint("2", text) }
func (s Style) Red(text string) string    { return s.paint("31", text) }
func (s Style) Green(text string) string  { return s.paint("32", text) }
func (s Style) Yellow(text string) string { return s.paint("33", text) }
func (s Style) Cyan(text string) string   { return s.paint("36", text) }

// State colours the state of a task, a delivery or a session.
func (s Style) State(state, text string) string {
	switch state {
	case "completed", "sent", "active", "ok":
		return s.Green(text)
	case "failed", "rejected", "blocked":
		return s.Red(text)
	case "working", "submitted", "sending", "pending", "unknown", "input_required":
		return s.Yellow(text)
	}
	return s.Dim(text)
}
