package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

// A check is one thing that doctor looked at.
type check struct {
	Name string `json:"check"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	Do   string `json:"do,omitempty"` // what to do about it
}

func newDoctor(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check that everything works, and say how to mend what does not", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks, reached := c.examine(cmd.Context())
			if !reached && c.local() {
				checks = append(checks, c.examineHost()...)
			}
			return c.diagnose(checks, reached)
		},
	}
}

func (c *cli) diagnose(checks []check, reached bool) error {
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
			mark := c.Style.Green(c.Sayf("ok  "))
			if !ch.OK {
				mark = c.Style.Red(c.Sayf("BAD "))
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

func (c *cli) examine(ctx context.Context) (checks []check, reached bool) {
	if _, err := c.text(ctx, "/healthz"); err != nil {
		var gone *client.ConnectError
		if errors.As(err, &gone) {
			return []check{{c.Sayf("worker"), false, c.Sayf("nothing answers at %s", c.Base), c.Sayf("start it with `go run ./worker`, or say where it is with --server or ERRAND_SERVER")}}, false
		}
		return []check{{c.Sayf("worker"), false, err.Error(), c.Sayf("say where errand is with --server or ERRAND_SERVER")}}, true
	}
	checks = append(checks, check{Name: c.Sayf("worker"), OK: true, Says: c.Sayf("answers at %s", c.Base)})
	checks = append(checks, c.ready(ctx)...)
	checks = append(checks, c.about(ctx)...)
	checks = append(checks, c.examineChannels(ctx)...)
	checks = append(checks, c.examineMCP(ctx)...)
	checks = append(checks, c.examineRemoteAgents(ctx)...)
	checks = append(checks, c.examinePeople(ctx)...)
	return append(checks, c.examineOutbox(ctx)...), true
}

func (c *cli) ready(ctx context.Context) []check {
	_, err := c.text(ctx, "/readyz")
	if err == nil {
		return []check{
			{Name: c.Sayf("store"), OK: true, Says: c.Sayf("answers")},
			{Name: c.Sayf("temporal"), OK: true, Says: c.Sayf("answers")},
		}
	}
	if strings.HasPrefix(err.Error(), "store") {
		return []check{{c.Sayf("store"), false, err.Error(), c.Sayf("see the worker's log; what was accepted goes on when the store is back")}}
	}
	return []check{
		{Name: c.Sayf("store"), OK: true, Says: c.Sayf("answers")},
		{c.Sayf("temporal"), false, err.Error(), c.Sayf("see that the Temporal of TEMPORAL_ADDRESS runs, or the worker's log; what was accepted goes on when it is back")},
	}
}

// about reports what needs the token.
func (c *cli) about(ctx context.Context) []check {
	about, err := c.API().GetAbout(ctx)
	var unknown *api.UnknownAnswerError
	if errors.As(err, &unknown) {
		return []check{{c.Sayf("api"), false, c.Sayf("is not this version of errand"), c.Sayf("use a starter and a worker of the same version")}}
	}
	if err != nil {
		var no *api.Problem
		if errors.As(err, &no) && no.Status == http.StatusUnauthorized {
			return []check{{c.Sayf("you"), false, err.Error(), ""}}
		}
		return []check{{c.Sayf("api"), false, err.Error(), c.Sayf("see the worker's log")}}
	}
	a := about.Value
	models := []check{{Name: c.Sayf("model"), OK: true, Says: c.Sayf("the offline demonstration answers"),
		Do: c.Sayf("for a real one, start the worker with OPENAI_API_KEY or OPENAI_BASE_URL, and ERRAND_MODEL")}}
	if !a.Demo {
		models = c.examineModels(ctx, a.Models)
	}
	paused := check{Name: c.Sayf("model calls"), OK: !a.Paused, Says: c.Sayf("may begin")}
	if a.Paused {
		paused.Says, paused.Do = c.Sayf("are paused"), "errand resume"
	}
	checks := []check{{Name: c.Sayf("version"), OK: true, Says: c.Sayf("the worker is %s, this is %s", a.Version, programVersion(c.version))}}
	checks = append(append(checks, models...), paused)
	if a.Programs != "" {
		checks = append(checks, check{Name: c.Sayf("programs"), OK: true, Says: a.Programs})
	}
	for _, crowd := range a.Crowded {
		checks = append(checks, check{c.Sayf("agent %s", crowd.Agent), false, c.Sayf("has %d tools, and its model takes %d: the last ones are left out", crowd.Tools, crowd.Most),
			c.Sayf("name the tools that it needs under tools, of the agent or of its servers in mcp_servers")})
	}
	return append(checks, c.whoami(ctx))
}

const modelTimeout = 90 * time.Second

func (c *cli) examineModels(ctx context.Context, known []errand.ModelState) []check {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	if tried, err := c.Unbounded().CheckModels(ctx); err == nil {
		known = tried.Value
	}
	if len(known) == 0 {
		return []check{{Name: c.Sayf("model"), OK: true, Says: c.Sayf("configured; errand chat hello tries it")}}
	}
	var checks []check
	for _, m := range known {
		sees := c.Sayf(" Pictures are told to it in words (vision: false).")
		if m.Vision {
			sees = c.Sayf(" It sees pictures.")
		}
		checks = append(checks, check{Name: c.Sayf("model %s", m.Model), OK: m.OK, Says: cmp.Or(m.Name, m.Model) + ": " + m.Says + sees})
	}
	return checks
}

// examineRemoteAgents reports whether the agents of other systems can be sent tasks, to those who
// may have them tried.
func (c *cli) examineRemoteAgents(ctx context.Context) (checks []check) {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	agents, err := c.Unbounded().CheckRemoteAgents(ctx)
	if err != nil {
		return nil
	}
	for _, a := range agents.Value {
		ch := check{Name: c.Sayf("agent %s", a.Agent), OK: a.OK, Says: c.Sayf("can be sent tasks")}
		if !a.OK {
			ch.Says, ch.Do = a.Says, c.Sayf("see remote_agents in errand.yaml, and try the agent by itself")
		}
		checks = append(checks, ch)
	}
	return checks
}

// whoami reports who the worker takes this command for.
func (c *cli) whoami(ctx context.Context) check {
	me, err := c.me(ctx)
	if err != nil {
		return check{c.Sayf("you"), false, err.Error(), c.Sayf("see the worker's log")}
	}
	return check{Name: c.Sayf("you"), OK: true, Says: c.Sayf("are %s, %s", displayName(me.ID, me.Name), me.RoleName)}
}

// text asks for something that is not JSON.
func (c *cli) text(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, client.CallTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return "", &client.ConnectError{Base: c.Base, Sent: false, Err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		return "", &client.ConnectError{Base: c.Base, Sent: true, Err: err}
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
