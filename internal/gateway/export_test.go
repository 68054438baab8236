package gateway

// CommandNames are all commands, in the order of /help.
func CommandNames() []string {
	var names []string
	for _, cmd := range commands() {
		names = append(names, cmd.name)
	}
	return names
}
