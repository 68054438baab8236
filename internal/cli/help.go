package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"errand/internal/cli/words"
)

var templateWords = []string{"Usage:", "Examples:", "Available Commands:", "Flags:", "Global Flags:", "[command]",
	`Use "{{.CommandPath}} [command] --help" for more information about a command.`}

var ownFlags = map[string]string{"help": "show this help", "version": "show the version"}

// translated has help speak the language of who reads. The commands are made in English; what
// they say of themselves is changed just before it is shown, in this place only.
func (c *cli) translated(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if l := c.Console.Words; l != words.English {
			root.SetUsageTemplate(translateTemplate(l, root.UsageTemplate()))
			translateHelp(l, root)
		}
		show(cmd, args)
	})
}

func translateTemplate(l words.Language, template string) string {
	var pairs []string
	for i := len(templateWords) - 1; i >= 0; i-- { // the longest that begins somewhere comes first
		pairs = append(pairs, templateWords[i], l.Help(templateWords[i]))
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// translateHelp translates what cmd and all below it say of themselves and their flags.
func translateHelp(l words.Language, cmd *cobra.Command) {
	if strings.HasSuffix(cmd.UseLine(), " [flags]") {
		cmd.Use, cmd.DisableFlagsInUseLine = cmd.Use+" "+l.Help("[flags]"), true
	}
	cmd.Short, cmd.Long = l.Help(cmd.Short), l.Help(cmd.Long)
	cmd.Example = exampleNote.ReplaceAllStringFunc(cmd.Example, func(note string) string {
		before, text, _ := strings.Cut(note, "# ")
		return before + "# " + l.Help(text)
	})
	for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			f.Usage = l.Help(flagUsage(f))
			translateDefault(l, f)
		})
	}
	for _, sub := range cmd.Commands() {
		translateHelp(l, sub)
	}
}

func flagUsage(f *pflag.Flag) string {
	if text := ownFlags[f.Name]; text != "" && f.Value.Type() == "bool" {
		return text
	}
	return f.Usage
}

var exampleNote = regexp.MustCompile(`(?m)\s# .*$`)

// translateDefault moves the default of a flag, which pflag shows in English, into its usage.
func translateDefault(l words.Language, f *pflag.Flag) {
	none := map[string]string{"string": "", "int": "0", "int64": "0", "duration": "0s", "bool": "false"}
	if zero, ok := none[f.Value.Type()]; ok && f.DefValue != zero {
		f.Usage += " (" + l.Help("default") + " " + f.DefValue + ")"
		f.DefValue = zero
	}
}
