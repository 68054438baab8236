package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/bridge"
	"errand/internal/cli/console"
)

func mcpState(s api.MCPServer) string {
	if s.State == "elsewhere" && s.RemoteState != "" {
		return fmt.Sprintf("%s elsewhere", s.RemoteState)
	}
	return s.State
}

// editorCommands offer errand to editors and other programs: mcp and acp.
type editorCommands struct{ *cli }

func newMCP(shared *cli) *cobra.Command {
	c := editorCommands{shared}
	g := group("mcp", "Serve MCP to an editor or another agent, and show the MCP servers that errand's agents use", c.newMCPList(), c.newMCPTry())
	g.Long = "Without a subcommand it speaks MCP over standard input and output with the editor or agent that started it, and passes requests on to the running worker. " +
		"On a terminal it prints the settings that such a program needs."
	g.RunE = func(cmd *cobra.Command, _ []string) error {
		if c.InTTY {
			return c.printMCPSettings()
		}
		return bridge.RunMCP(cmd.Context(), c.Worker, c.In, c.Out)
	}
	return g
}

func (c editorCommands) printMCPSettings() error {
	program, env := c.startedBy()
	settings, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{"errand": map[string]any{
		"command": program, "args": []string{"mcp"}, "env": env}}}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "%s\n\n", settings)
	fmt.Fprintf(c.Out, "This is for a program that starts its MCP servers itself; docs/mcp.md has the settings of each.\nOver HTTP the address is %s, with the header Authorization: Bearer and a token of yours (errand tokens add --scope delegate).\n", c.Base+bridge.Path)
	return nil
}

func (c editorCommands) startedBy() (program string, env map[string]string) {
	program, err := os.Executable()
	if err != nil || strings.Contains(program, string(filepath.Separator)+"go-build") { // "go run" deletes its binary afterwards
		program = "errand"
	}
	env = map[string]string{"ERRAND_SERVER": c.Base}
	if c.KeyOf != "" {
		env["ERRAND_DATA"] = c.KeyOf
	}
	return program, env
}

func (c editorCommands) newMCPList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the MCP servers and their tools", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			servers, err := api.Call(cmd.Context(), c.API(), api.ListMCPServers, api.ListMCPServersInput{})
			rows, done, err := console.List(&c.Console, servers, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "No MCP servers. Add them under mcp_servers in errand.yaml, and restart the worker.")
				return nil
			}
			t := &console.Table{Head: []string{"SERVER", "STATE", "SINCE", "WORKER", "IS", "TOOLS"}, Loose: []int{5}}
			tools := &console.Table{Head: []string{"TOOL", "EFFECT", "FOR", "APPROVAL"}}
			warnings := &console.Table{Head: []string{"WARNING"}, Loose: []int{0}}
			failed := &console.Table{Head: []string{"FAILED", "TOOL", "WHY"}, Loose: []int{2}}
			for _, s := range rows {
				what := fmt.Sprintf("%d tools", len(s.Tools))
				if s.Reason != "" {
					what = s.Reason
				}
				t.Add(s.Name, mcpState(s), c.Ago(s.Since), cmp.Or(s.Worker, "-"), cmp.Or(s.Says, "-"), what)
				for _, tool := range s.Tools {
					tools.Add(tool.Name, tool.Effect, tool.Role.Display(), string(tool.Approval))
				}
				for _, why := range mcpWarnings(s) {
					warnings.Add(why)
				}
				for _, f := range s.Failures {
					failed.Add(c.Ago(f.At), f.Tool, f.Reason)
				}
			}
			c.PrintTable(t)
			for _, more := range []*console.Table{warnings, tools, failed} {
				if more.Len() > 0 {
					fmt.Fprintln(c.Out)
					c.PrintTable(more)
				}
			}
			return nil
		},
	}
}

func mcpWarnings(s api.MCPServer) []string {
	if s.Blocked == "" {
		return s.Unmatched
	}
	return append([]string{s.Blocked}, s.Unmatched...)
}

func (c editorCommands) newMCPTry() *cobra.Command {
	return &cobra.Command{
		Use: "try SERVER TOOL [JSON]", Short: "Call a tool of an MCP server, and print what an agent would read; the tool really runs",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			call := api.TryMCPToolInput{Server: args[0], Body: api.MCPCall{Tool: args[1]}}
			if len(args) == 3 {
				if err := json.Unmarshal([]byte(args[2]), &call.Body.Arguments); err != nil {
					return console.Misusef(`the arguments of the tool are a JSON object, such as '{"path": "/srv"}'`)
				}
			}
			tried, err := api.Call(cmd.Context(), c.API(), api.TryMCPTool, call)
			out, done, err := console.One(&c.Console, tried, c.WithHint(err, "mcp list"))
			if done || err != nil {
				return err
			}
			fmt.Fprintln(c.Out, console.Text(out.Text))
			if strings.HasPrefix(out.Text, "error: ") {
				return &console.Failure{Code: console.ExitFailed}
			}
			return nil
		},
	}
}

func (c doctor) examineMCP(ctx context.Context) []check {
	servers, err := api.Call(ctx, c.API(), api.ListMCPServers, api.ListMCPServersInput{})
	if err != nil {
		return nil // the caller may not see it
	}
	var checks []check
	for _, s := range servers.Value {
		ch := check{Name: "mcp " + s.Name, OK: s.State != "down" && s.RemoteState != "down", Says: fmt.Sprintf("%s, with %d tools", mcpState(s), len(s.Tools))}
		if !ch.OK {
			ch.Says, ch.Do = fmt.Sprintf("is down: %s", s.Reason), "check mcp_servers in errand.yaml and the worker's log; errand tries again by itself"
			if s.State == "elsewhere" {
				ch.Do = fmt.Sprintf("see mcp_servers in the errand.yaml of the worker %s, and its log", s.Worker)
			}
		} else if warnings := mcpWarnings(s); len(warnings) > 0 {
			ch.OK, ch.Says, ch.Do = false, warnings[0], fmt.Sprintf("fix errand.yaml and restart the worker: %s", strings.Join(warnings, "; "))
		} else if len(s.LeftOut) > 0 {
			ch.Do = fmt.Sprintf("%d of its tools are not offered: %s", len(s.LeftOut), strings.Join(s.LeftOut, "; "))
		}
		checks = append(checks, ch)
	}
	return checks
}
