package cli

// A style colours text, or not.
type style bool

func (s style) paint(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string   { return s.paint("1", text) }
func (s style) dim(text string) string    { return s.paint("2", text) }
func (s style) red(text string) string    { return s.paint("31", text) }
func (s style) green(text string) string  { return s.paint("32", text) }
func (s style) yellow(text string) string { return s.paint("33", text) }
func (s style) cyan(text string) string   { return s.paint("36", text) }

// state colours the state of a task, a delivery or a session.
func (s style) state(state, text string) string {
	switch state {
	case "completed", "sent", "active", "ok":
		return s.green(text)
	case "failed", "rejected", "blocked":
		return s.red(text)
	case "working", "submitted", "sending", "pending", "unknown", "input_required":
		return s.yellow(text)
	}
	return s.dim(text)
}
