package config

import (
	"flag"
	"fmt"
	"io"
)

// Flags are the settings that the command line may give. Empty means not given.
type Flags struct {
	Config     string
	Data       string
	Listen     string
	PortOffset int
	LogFormat  string
	LogLevel   string
	TakeOver   bool // claim the store and Temporal's namespace from whoever had them
}

// BindFlags defines errand's flags on fs and returns what they are parsed into,
// to be passed to [Load] after fs has been parsed:
//
//	flags := config.BindFlags(flag.CommandLine)
//	flag.Parse()
//	cfg, err := config.Load(config.Sources{Flags: *flags})
//
// A cobra command takes them over from a set of their own:
//
//	fs := flag.NewFlagSet("", flag.ContinueOnError)
//	flags := config.BindFlags(fs)
//	cmd.PersistentFlags().AddGoFlagSet(fs)
func BindFlags(fs *flag.FlagSet) *Flags {
	f := new(Flags)
	fs.StringVar(&f.Config, "config", "", "read the configuration from `file` (default errand.yaml, where there is one)")
	fs.StringVar(&f.Data, "data", "", "keep everything in `directory` (default "+defaultData+")")
	fs.StringVar(&f.Listen, "listen", "", "serve HTTP on `host:port` (default "+defaultListen+")")
	fs.IntVar(&f.PortOffset, "port-offset", 0, "shift all ports but one that --listen names by `n`, for a second installation")
	fs.StringVar(&f.LogFormat, "log-format", "", "log as `text|json` (default text)")
	fs.StringVar(&f.LogLevel, "log-level", "", "log from `debug|info|warn|error` on (default info)")
	fs.BoolVar(&f.TakeOver, "take-over", false, "this once, claim the store and the Temporal namespace from whichever belonged to them before")
	return f
}

// ParseFlags reads the flags of a program that has no others. It returns none if it has printed what is wrong with them.
func ParseFlags(name string, args []string, out io.Writer) (*Flags, error) {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(out)
	flags := BindFlags(set)
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() > 0 {
		return flags, fmt.Errorf("unknown argument %q; -h lists the flags", set.Arg(0))
	}
	return flags, nil
}
