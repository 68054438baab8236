package config

import (
	"flag"
	"fmt"
	"io"
)

// Flags are the settings from the command line. Empty means not given.
type Flags struct {
	Config     string
	Data       string
	Listen     string
	PortOffset int
	LogFormat  string
	LogLevel   string
	TakeOver   bool // take over the store and Temporal's namespace from another installation
}

// BindFlags defines errand's flags on fs and returns their values. Pass these to [Load]
// after parsing fs:
//
//	flags := config.BindFlags(flag.CommandLine)
//	flag.Parse()
//	cfg, err := config.Load(config.Sources{Flags: *flags})
//
// With cobra, use a separate flag set:
//
//	fs := flag.NewFlagSet("", flag.ContinueOnError)
//	flags := config.BindFlags(fs)
//	cmd.PersistentFlags().AddGoFlagSet(fs)
func BindFlags(fs *flag.FlagSet) *Flags {
	f := new(Flags)
	fs.StringVar(&f.Config, "config", "", "read the configuration from `file` (default errand.yaml, if it exists)")
	fs.StringVar(&f.Data, "data", "", "keep all data in `directory` (default "+defaultData+")")
	fs.StringVar(&f.Listen, "listen", "", "serve HTTP on `host:port` (default "+defaultListen+")")
	fs.IntVar(&f.PortOffset, "port-offset", 0, "add `n` to all ports except the one in --listen, for a second installation")
	fs.StringVar(&f.LogFormat, "log-format", "", "log as `text|json` (default text)")
	fs.StringVar(&f.LogLevel, "log-level", "", "log messages of level `debug|info|warn|error` and above (default info)")
	fs.BoolVar(&f.TakeOver, "take-over", false, "once: take over the store and the Temporal namespace from another installation")
	return f
}

// ParseFlags parses errand's flags only. If the flags are invalid it prints why to out,
// and returns nil with an error.
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
