package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/ownerkey"
	"errand/internal/store"
	"errand/internal/tools/code"
)

// programs measures how long run_code takes for a program that does nothing, in
// bubblewrap, and how long bubblewrap takes for it alone.
func (b *bench) programs(ctx context.Context) error {
	found := code.Find(ctx, code.Options{Sandbox: string(code.Bubblewrap), Timeout: time.Minute, Memory: 512 << 20, Files: 100 << 20, Processes: 64}, code.Host{})
	if found.Kind != code.Bubblewrap {
		_, err := fmt.Fprintf(b.Out, "\nrun_code is not measured: %s\n", found)
		return err
	}
	tool := code.Tools(b.app.Store, found)[0]
	call := store.Call{Origin: core.Origin{SessionKey: "bench/programs"}}
	rounds := min(b.Rounds, 40)
	fmt.Fprintf(b.Out, "\n%-42s %10s %10s   (%d rounds)\n", "a program that does nothing", "p50", "p95", rounds)
	var bare []time.Duration
	for _, language := range found.Languages {
		args, err := json.Marshal(map[string]any{"language": language, "code": emptyProgram(language)})
		if err != nil {
			return err
		}
		var took []time.Duration
		for range rounds {
			began := time.Now()
			text, err := tool.Run(ctx, call, args)
			if err != nil {
				return err
			}
			if !strings.Contains(text, "exit status 0") {
				return fmt.Errorf("run_code of a program that does nothing: %s", text)
			}
			took = append(took, time.Since(began))
			began = time.Now()
			if err := bubblewrapped(ctx, "true"); err != nil {
				return err
			}
			bare = append(bare, time.Since(began))
		}
		fmt.Fprintf(b.Out, "%-42s %10s %10s\n", fmt.Sprintf("run_code in bubblewrap, %s", language), ms(quantile(took, 0.5)), ms(quantile(took, 0.95)))
	}
	fmt.Fprintf(b.Out, "%-42s %10s %10s\n", "bwrap … true, between them", ms(quantile(bare, 0.5)), ms(quantile(bare, 0.95)))
	return nil
}

func emptyProgram(language code.Language) string {
	switch language {
	case code.Python:
		return "pass"
	case code.JavaScript:
		return ";"
	default:
		return ":"
	}
}

// bubblewrapped runs a command in namespaces of its own on this machine's files.
func bubblewrapped(ctx context.Context, command ...string) error {
	args := append([]string{"--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"}, command...)
	cmd := exec.CommandContext(ctx, "bwrap", args...)
	cmd.Env = ownerkey.ChildEnv(os.Environ())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("bwrap: %w: %s", err, out)
	}
	return nil
}
