package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
	"errand/internal/version"
)

type check struct {
	Name string `json:"check"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	Do   string `json:"do,omitempty"` // how to fix it
}

type doctor struct{ *cli }

func newDoctor(shared *cli) *cobra.Command {
	c := doctor{shared}
	return &cobra.Command{
		Use: "doctor", Short: "Check that everything works, and say how to fix what does not", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks, reached := c.examine(cmd.Context())
			if !reached && c.local() {
				checks = append(checks, c.examineHost()...)
			}
			return c.diagnose(checks, reached)
		},
	}
}

func (c doctor) diagnose(checks []check, reached bool) error {
	bad := 0
	for _, ch := range checks {
		if !ch.OK {
			bad++
		}
	}
	if c.JSON {
		raw, err := json.Marshal(checks)
		if err != nil {
			return err
		}
		if err := c.PrintJSON(raw); err != nil {
			return err
		}
	} else {
		for _, ch := range checks {
			mark := c.Style.Green("ok  ")
			if !ch.OK {
				mark = c.Style.Red("BAD ")
			}
			fmt.Fprintf(c.Out, "%s %-13s %s\n", mark, ch.Name, line(ch.Says))
			if ch.Do != "" {
				fmt.Fprintf(c.Out, "%19s-> %s\n", "", line(ch.Do))
			}
		}
	}
	switch {
	case !reached:
		return &console.Failure{Code: console.ExitUnreachable}
	case bad > 0:
		return &console.Failure{Code: console.ExitFailed}
	}
	return nil
}

func (c doctor) examine(ctx context.Context) (checks []check, reached bool) {
	if _, err := c.text(ctx, "/healthz"); err != nil {
		var gone *console.ConnectError
		if errors.As(err, &gone) {
			return []check{{"worker", false, fmt.Sprintf("nothing answers at %s", c.Base), "start it with `errand serve`, or give its address with --server or ERRAND_SERVER"}}, false
		}
		return []check{{"worker", false, err.Error(), "give errand's address with --server or ERRAND_SERVER"}}, true
	}
	checks = append(checks, check{Name: "worker", OK: true, Says: fmt.Sprintf("answers at %s", c.Base)})
	checks = append(checks, c.ready(ctx)...)
	checks = append(checks, c.about(ctx)...)
	checks = append(checks, c.examineChannels(ctx)...)
	checks = append(checks, c.examineMCP(ctx)...)
	checks = append(checks, c.examineRemoteAgents(ctx)...)
	checks = append(checks, c.examinePeople(ctx)...)
	return append(checks, c.examineOutbox(ctx)...), true
}

func (c doctor) ready(ctx context.Context) []check {
	_, err := c.text(ctx, "/readyz")
	if err == nil {
		return []check{
			{Name: "store", OK: true, Says: "answers"},
			{Name: "temporal", OK: true, Says: "answers"},
		}
	}
	if strings.HasPrefix(err.Error(), "store") {
		return []check{{"store", false, err.Error(), "see the worker's log; accepted messages continue when the store is back"}}
	}
	return []check{
		{Name: "store", OK: true, Says: "answers"},
		{"temporal", false, err.Error(), "check that the Temporal server at TEMPORAL_ADDRESS is running, and see the worker's log; accepted messages continue when it is back"},
	}
}

func (c doctor) about(ctx context.Context) []check {
	about, err := api.Call(ctx, c.API(), api.GetAbout, api.None{})
	var unknown *api.UnknownAnswerError
	if errors.As(err, &unknown) {
		return []check{{"api", false, "has another version of errand", "use the same version of the command and the worker"}}
	}
	if err != nil {
		var no *api.Problem
		if errors.As(err, &no) && no.Status == http.StatusUnauthorized {
			return []check{{"you", false, err.Error(), ""}}
		}
		return []check{{"api", false, err.Error(), "see the worker's log"}}
	}
	a := about.Value
	models := []check{{Name: "model", OK: true, Says: "the offline demonstration model answers",
		Do: "for a real model, run errand init, or set OPENAI_API_KEY or OPENAI_BASE_URL, and ERRAND_MODEL"}}
	if !a.Demo {
		models = c.examineModels(ctx, a.Models)
	}
	paused := check{Name: "model calls", OK: !a.Paused, Says: "may begin"}
	if a.Paused {
		paused.Says, paused.Do = "are paused", "errand resume"
	}
	checks := []check{{Name: "version", OK: true, Says: fmt.Sprintf("the worker is %s, this is %s", a.Version, version.Number())}}
	checks = append(append(checks, models...), paused)
	if a.Programs != "" {
		checks = append(checks, check{Name: "programs", OK: true, Says: a.Programs})
	}
	if a.Backup.Scheduled {
		checks = append(checks, checkBackup(a.Backup))
	}
	for _, crowd := range a.Crowded {
		checks = append(checks, check{fmt.Sprintf("agent %s", crowd.Agent), false, fmt.Sprintf("has %d tools, and %d of them are left out: %s", crowd.Tools, len(crowd.LeftOut), strings.Join(crowd.LeftOut, ", ")),
			fmt.Sprintf("its requests take %d tools, and 256 kB of tools of MCP servers: list only the tools that it needs, under tools of the agent or of the server in mcp_servers", crowd.Most)})
	}
	return append(checks, c.whoami(ctx))
}

func checkBackup(b api.BackupState) check {
	says := "no backup has been written yet"
	if b.File != "" {
		says = fmt.Sprintf("the latest is %s, from %s UTC", b.File, b.Made.UTC().Format(time.DateTime))
	}
	if b.Problem != "" {
		return check{"backup", false, b.Problem + "; " + says, "see the worker's log; errand backup FILE writes one now"}
	}
	return check{Name: "backup", OK: true, Says: says}
}

const modelTimeout = 90 * time.Second

func (c doctor) examineModels(ctx context.Context, known []core.ModelState) []check {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	if tried, err := api.Call(ctx, c.Unbounded(), api.CheckModels, api.CheckModelsInput{}); err == nil {
		known = tried.Value
	}
	if len(known) == 0 {
		return []check{{Name: "model", OK: true, Says: "is configured; try it with errand chat hello"}}
	}
	var checks []check
	for _, m := range known {
		checks = append(checks, check{Name: fmt.Sprintf("model %s", m.Model), OK: m.OK, Says: m.Line()})
	}
	return checks
}

// examineRemoteAgents reports nothing to callers who may not check them.
func (c doctor) examineRemoteAgents(ctx context.Context) (checks []check) {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	agents, err := api.Call(ctx, c.Unbounded(), api.CheckRemoteAgents, api.None{})
	if err != nil {
		return nil
	}
	for _, a := range agents.Value {
		ch := check{Name: fmt.Sprintf("agent %s", a.Agent), OK: a.OK, Says: "accepts tasks"}
		if !a.OK {
			ch.Says, ch.Do = a.Says, "check remote_agents in errand.yaml, and whether the agent runs"
		}
		checks = append(checks, ch)
	}
	return checks
}

func (c doctor) whoami(ctx context.Context) check {
	me, err := c.me(ctx)
	if err != nil {
		return check{"you", false, err.Error(), "see the worker's log"}
	}
	return check{Name: "you", OK: true, Says: fmt.Sprintf("are %s, %s", displayName(me.ID, me.Name), me.RoleName)}
}

func (c *cli) text(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, console.CallTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return "", &console.ConnectError{Base: c.Base, Sent: false, Err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		return "", &console.ConnectError{Base: c.Base, Sent: true, Err: err}
	}
	text := line(string(raw))
	switch {
	case resp.StatusCode == http.StatusOK:
		return text, nil
	case resp.StatusCode == http.StatusServiceUnavailable && text != "":
		return "", errors.New(text)
	}
	return "", c.Stranger(resp)
}
