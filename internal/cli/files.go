package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type fileCommands struct{ *cli }

func newFiles(shared *cli) *cobra.Command {
	c := fileCommands{shared}
	return group("files", "See and change the files that agents keep for a conversation", c.newFilesList(), c.newFilesGet(), c.newFilesPut(), c.newFilesRemove())
}

const mostFiles = 10_000

const ofWhat = "OF is the id of a session or a task, or its beginning: a session and all tasks that are\ndelegated from it share their files."

func (c fileCommands) newFilesList() *cobra.Command {
	var folder, who string
	cmd := &cobra.Command{
		Use: "list [OF]", Short: "List the conversations with files, or the files of one", Args: cobra.MaximumNArgs(1), Long: ofWhat,
		ValidArgsFunction: c.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.listWorkspaces(cmd.Context(), who)
			}
			files, err := api.Call(cmd.Context(), c.API(), api.ListFiles, api.ListFilesInput{FilesOf: api.FilesOf{Of: args[0]}, Folder: folder, Limit: mostFiles})
			rows, done, err := console.List(&c.Console, files, c.WithHint(err, "files list"))
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "No files.")
				return nil
			}
			t := &console.Table{Head: []string{"PATH", "SIZE", "VERSION", "WRITTEN", "BY"}, Loose: []int{0}}
			for _, f := range rows {
				t.Add(f.Path, bytesOf(f.Size), strconv.Itoa(f.Version), c.Ago(f.Created), cmp.Or(string(f.Agent), "a person"))
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "", "only what is in this folder")
	cmd.Flags().StringVar(&who, "person", "", "without OF: "+whosePerson)
	return cmd
}

func filePath(of, path string) api.FilePath {
	return api.FilePath{FilesOf: api.FilesOf{Of: of}, Path: path}
}

func (c fileCommands) listWorkspaces(ctx context.Context, who string) error {
	id, err := c.personID(ctx, who)
	if err != nil {
		return err
	}
	workspaces, err := api.Call(ctx, c.API(), api.ListWorkspaces, api.ListWorkspacesInput{Person: api.Person{Person: core.PersonID(id)}})
	rows, done, err := console.Page(&c.Console, workspaces, err)
	if done || err != nil {
		return err
	}
	if len(rows) == 0 {
		fmt.Fprintln(c.Out, "No files.")
		return nil
	}
	t := &console.Table{Head: []string{"SESSION", "CHANNEL", "CHAT", "FILES", "SIZE", "CHANGED"}, Loose: []int{2}}
	for _, w := range rows {
		t.Add(short(w.Session), w.Route.Channel, w.Route.Chat, strconv.Itoa(w.Files), bytesOf(w.Bytes), c.Ago(w.Changed))
	}
	c.PrintTable(t)
	return nil
}

func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func (c fileCommands) newFilesGet() *cobra.Command {
	var output string
	var version, sent int
	cmd := &cobra.Command{
		Use: "get OF PATH", Short: "Save a file, or print it with -o -", Args: cobra.MaximumNArgs(2), Long: ofWhat,
		Example: `  errand files get 0b7e1c2d notes/plan.md
  errand files get 0b7e1c2d notes/plan.md --version 2 -o -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var resp *http.Response
			var name string
			var err error
			switch {
			case sent > 0 && len(args) == 0:
				name = "file-" + strconv.Itoa(sent)
				resp, err = api.Open(cmd.Context(), c.Unbounded(), api.GetFileVersion, api.GetFileVersionInput{ID: int64(sent)})
			case sent == 0 && len(args) == 2:
				name = path.Base(args[1])
				resp, err = api.Open(cmd.Context(), c.Unbounded(), api.GetFile, api.GetFileInput{FilePath: filePath(args[0], args[1]), Version: max(version, 0)})
			default:
				return console.Misusef("give the id of a session or task and the path of a file, or --sent and the number that a chat has shown")
			}
			if err != nil {
				return c.WithHint(err, "files list")
			}
			defer resp.Body.Close()
			if output == "-" {
				_, err := io.Copy(c.Out, resp.Body)
				return err
			}
			return c.saveFile(cmp.Or(output, sentName(resp, name)), output != "", resp.Body)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the file to write; -: print it; without: under its own name, here")
	cmd.Flags().IntVar(&version, "version", 0, "an earlier version")
	cmd.Flags().IntVar(&sent, "sent", 0, "a file as an agent has sent it, by the number that the chat has shown")
	return cmd
}

func sentName(resp *http.Response, otherwise string) string {
	if name := filename(resp.Header.Get("Content-Disposition")); name != "" {
		return filepath.Base(filepath.FromSlash(path.Base(name)))
	}
	return otherwise
}

func filename(disposition string) string {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return ""
	}
	return params["filename"]
}

// saveFile writes a file that only its owner can read. It replaces an existing file only if the
// person named it.
func (c fileCommands) saveFile(name string, named bool, from io.Reader) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !named {
		flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	}
	to, err := os.OpenFile(name, flags, 0o600)
	if errors.Is(err, os.ErrExist) {
		return console.Misusef("%s already exists: name another file with -o, or this one to replace it", line(name))
	}
	if err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	n, err := io.Copy(to, from)
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", line(name), err)
	}
	fmt.Fprintf(c.Err, "Written to %s, %d bytes.\n", line(name), n)
	return nil
}

func (c fileCommands) newFilesPut() *cobra.Command {
	return &cobra.Command{
		Use: "put OF FILE [PATH]", Short: "Give the agents of a conversation a file", Args: cobra.RangeArgs(2, 3),
		Long:              ofWhat + "\nIf the path exists, its content stays as an earlier version.",
		ValidArgsFunction: c.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			to := filepath.Base(args[1])
			if len(args) == 3 {
				to = args[2]
			}
			data, err := os.ReadFile(args[1])
			if err != nil {
				return fmt.Errorf("read the file: %w", err)
			}
			written, err := api.Call(cmd.Context(), c.Unbounded(), api.PutFile, api.PutFileInput{FilePath: filePath(args[0], to), Body: api.NewUpload(data)})
			f, done, err := console.One(&c.Console, written, c.WithHint(err, "files list"))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "Wrote %s: version %d, %s.\n", line(f.Path), f.Version, bytesOf(f.Size))
			return nil
		},
	}
}

func (c fileCommands) newFilesRemove() *cobra.Command {
	return &cobra.Command{
		Use: "rm OF PATH", Short: "Delete a file with all its versions", Args: cobra.ExactArgs(2), Long: ofWhat,
		ValidArgsFunction: c.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			deleted, err := api.Call(cmd.Context(), c.API(), api.DeleteFile, filePath(args[0], args[1]))
			f, done, err := console.One(&c.Console, deleted, c.WithHint(err, "files list"))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s is deleted.\n", line(f.Path))
			return nil
		},
	}
}
