package commands

// Names are all commands, in the order of /help.
func Names() []string {
	var names []string
	for _, cmd := range commands() {
		names = append(names, cmd.name)
	}
	return names
}
