package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"errand/internal/cli/console"
	"errand/internal/content"
)

var examples = map[string]string{
	"tasks show":       "errand tasks show t-7k3m9q2x",
	"tasks result":     "errand tasks result t-7k3m9q2x",
	"tasks steer":      `errand tasks steer t-7k3m9q2x "only trains that leave after eight"`,
	"tasks continue":   `errand tasks continue t-7k3m9q2x "and back on Sunday"`,
	"tasks cancel":     `errand tasks cancel t-7k3m9q2x --reason "no longer needed"`,
	"tasks retry":      "errand tasks retry t-7k3m9q2x",
	"outbox retry":     "errand outbox retry 17",
	"outbox dismiss":   "errand outbox dismiss 17",
	"sessions search":  "errand sessions search night trains",
	"sessions show":    "errand sessions show 7b0c51e8",
	"sessions export":  "errand sessions export 7b0c51e8 -o oslo.md",
	"sessions delete":  "errand sessions delete 7b0c51e8",
	"sessions reset":   "errand sessions reset main",
	"reminders add":    `errand reminders add "every monday at 8:00" "ask Sasha for the week's trains"`,
	"reminders cancel": "errand reminders cancel r-7k3m9q2x",
	"questions show":   "errand questions show q-7k3m9q2x",
	"questions answer": `errand questions answer q-7k3m9q2x "the first one"`,
	"memory show":      "errand memory show nikki trains",
	"memory forget":    "errand memory forget nikki trains",
	"files get":        "errand files get t-7k3m9q2x notes/plan.md",
	"files list":       "errand files list t-7k3m9q2x",
	"files put":        "errand files put t-7k3m9q2x plan.md notes/plan.md",
	"files rm":         "errand files rm t-7k3m9q2x notes/plan.md",
	"mcp try":          `errand mcp try files read_file '{"path": "plan.md"}'`,
	"users show":       "errand users show Ann",
	"users role":       "errand users role Ann partner",
	"users approve":    "errand users approve 7K3M9Q2X --role member",
	"users deny":       "errand users deny 7K3M9Q2X",
	"users language":   "errand users language Ann es",
	"users timezone":   "errand users timezone Ann Europe/Oslo",
	"users remove":     "errand users remove Ann",
	"users token":      "errand users token Ann --name laptop",
	"tokens revoke":    "errand tokens revoke tok-7k3m9q2x",
	"backup":           "errand backup /mnt/backups/errand-monday",
	"restore":          "errand restore /mnt/backups/errand-monday --data ./restored",
	"hooks try":        "errand hooks try https://builds.example.org/errand",
	"config check":     "errand config check",
	"users link":       "errand users link Ann telegram 12345678",
	"users revoke":     "errand users revoke tok-7k3m9q2x",
	"users unlink":     "errand users unlink Ann telegram 12345678",
}

func addExamples(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		addExamples(sub)
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	if example := examples[path]; example != "" && cmd.Example == "" {
		cmd.Example = "  " + example
	}
}

var (
	counted   = regexp.MustCompile(`^(?:accepts|requires) .*?(\d+)(?: and (\d+))? arg\(s\), (?:only )?received (\d+)$`)
	badNumber = regexp.MustCompile(`^invalid argument ("[^"]*") for "([^"]*)" flag: strconv\.Parse(\w+): .*$`)
	badTime   = regexp.MustCompile(`^invalid argument ("[^"]*") for "([^"]*)" flag: time: .*$`)
	noFlag    = regexp.MustCompile(`^unknown flag: --(\S+)$`)
	noCommand = regexp.MustCompile(`^unknown command "([^"]*)" for "[^"]*"(: there are .*)?$`)
)

func misuse(ctx context.Context, cmd *cobra.Command, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var said *console.Failure
	if errors.As(err, &said) {
		return err
	}
	text := reworded(cmd, err.Error())
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	switch {
	case example != "":
		text += "; for example: " + example
	case cmd.HasParent() && !cmd.HasSubCommands():
		text += "; usage: " + cmd.UseLine()
	}
	return &console.Failure{Code: console.ExitUsage, Text: text + "; see " + cmd.CommandPath() + " --help"}
}

func reworded(cmd *cobra.Command, text string) string {
	is := func(e *regexp.Regexp) (m []string, ok bool) {
		m = e.FindStringSubmatch(text)
		return m, m != nil
	}
	if m, ok := is(counted); ok {
		if len(m[3]) > len(m[1]) || len(m[3]) == len(m[1]) && m[3] > m[1] {
			return fmt.Sprintf("%s: too many arguments (put text with spaces in quotes)", cmd.CommandPath())
		}
		return fmt.Sprintf("%s: an argument is missing", cmd.CommandPath())
	}
	if m, ok := is(badNumber); ok {
		if m[3] == "Bool" {
			return fmt.Sprintf("%s: %s is not true or false", m[2], m[1])
		}
		return fmt.Sprintf("%s: %s is not a number", m[2], m[1])
	}
	if m, ok := is(badTime); ok {
		return fmt.Sprintf("%s: %s is not a duration: write for example 90s, 30m or 1h30m", m[2], m[1])
	}
	if m, ok := is(noFlag); ok {
		return text + didYouMean("--", m[1], flagNames(cmd))
	}
	if m, ok := is(noCommand); ok {
		return text + didYouMean("", m[1], commandNames(cmd))
	}
	return text
}

func flagNames(cmd *cobra.Command) (names []string) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
		flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	}
	return names
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

func didYouMean(before, word string, known []string) string {
	if near := content.NearestWord(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", before+near)
	}
	return ""
}
