package config_test

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"errand/internal/config"
)

// TestParseFlags proves that the worker's flags work as in other Go programs, with one dash or two,
// and that mistakes are reported at once.
func TestParseFlags(t *testing.T) {
	for _, tt := range []struct {
		args    string
		want    config.Flags
		err     string
		printed string
	}{
		{args: ""},
		{args: "-port-offset 10 --data there", want: config.Flags{PortOffset: 10, Data: "there"}},
		{args: "--listen=0.0.0.0:80 -take-over", want: config.Flags{Listen: "0.0.0.0:80", TakeOver: true}},
		{args: "-config a.yaml -log-format json -log-level warn", want: config.Flags{Config: "a.yaml", LogFormat: "json", LogLevel: "warn"}},
		{args: "now", err: `unknown argument "now"; -h lists the flags`},
		{args: "-nonsense", err: "flag provided but not defined: -nonsense", printed: "Usage of worker:"},
		{args: "-port-offset some", err: `invalid value "some" for flag -port-offset: parse error`, printed: "Usage of worker:"},
		{args: "-h", err: flag.ErrHelp.Error(), printed: "Usage of worker:"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var out bytes.Buffer
			got, err := config.ParseFlags("worker", strings.Fields(tt.args), &out)
			if tt.err == "" && (err != nil || *got != tt.want) {
				t.Errorf("got %+v, %v", got, err)
			}
			if tt.err != "" && (err == nil || err.Error() != tt.err) {
				t.Errorf("the error is %v, want %s", err, tt.err)
			}
			if (got == nil) != (tt.printed != "") || !strings.Contains(out.String(), tt.printed) {
				t.Errorf("printed: %q", out.String())
			}
		})
	}
}
