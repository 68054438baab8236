package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// fileCalls begins a step of the session that calls n tools, and returns the keys of the calls.
func (c *chat) fileCalls(turn, n int) []core.CallKey {
	c.t.Helper()
	c.write("please")
	names := make([]string, n)
	for i := range names {
		names[i] = "write_file"
	}
	b := c.begin(turn, 1)
	c.commit(calls(b, names...))
	keys := make([]core.CallKey, n)
	for i := range keys {
		keys[i] = core.CallKey{StepKey: b.Key, Index: i + 1}
	}
	return keys
}

func (c *chat) subCalls(task core.TaskID, n int) []core.CallKey {
	c.t.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = "write_file"
	}
	b := c.sub(task, "sasha", 1, 1)
	c.commit(calls(b, names...))
	keys := make([]core.CallKey, n)
	for i := range keys {
		keys[i] = core.CallKey{StepKey: b.Key, Index: i + 1}
	}
	return keys
}

func (c *chat) ends(turn int, keys []core.CallKey) {
	c.t.Helper()
	for _, k := range keys {
		require.NoError(c.t, c.s.CommitTool(c.ctx, k, "ok"))
	}
	c.commit(reply(c.begin(turn, 2), "done"))
}

func (c *chat) place() string { return string(c.key) }

func (c *chat) change(key core.CallKey, change store.FileChange) core.FileChanged {
	c.t.Helper()
	done, err := c.s.ChangeFile(c.ctx, key, change)
	require.NoError(c.t, err)
	return done
}

func contentOf(t testing.TB, s *store.Store, f core.File) string {
	t.Helper()
	data, err := io.ReadAll(s.OpenFile(context.Background(), f))
	require.NoError(t, err)
	return string(data)
}

func (c *chat) fileHas(path string, version int) string {
	c.t.Helper()
	f, err := c.s.File(c.ctx, c.place(), path, version)
	require.NoError(c.t, err)
	return contentOf(c.t, c.s, f)
}

func (c *chat) paths() []string {
	c.t.Helper()
	list, err := c.s.Files(c.ctx, c.place(), store.FileFilter{})
	require.NoError(c.t, err)
	var paths []string
	for _, f := range list {
		paths = append(paths, f.Path)
	}
	return paths
}

func (c *chat) workspace() core.Workspace {
	c.t.Helper()
	list, err := c.s.Workspaces(c.ctx, "ada", store.Page{})
	require.NoError(c.t, err)
	require.Len(c.t, list, 1)
	return list[0]
}

func text(path string, base int, content string) store.FileChange {
	return store.FileChange{Path: path, Base: base, Content: []byte(content)}
}

func edit(path string, base int, old, new string) store.FileChange {
	return store.FileChange{Path: path, Base: base, Edit: &store.FileEdit{Old: old, New: new}}
}

var files = map[string]func(*testing.T, Opener){
	"a second run of a call changes nothing and says the same": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 4)
		first := c.change(k[0], text("notes/plan.md", 0, "one"))
		require.Equal(t, 1, first.Version)
		c.change(k[1], edit("notes/plan.md", 1, "one", "two"))
		again := c.change(k[0], text("notes/plan.md", 0, "one"))
		require.Equal(t, []any{1, 0, "notes/plan.md", int64(3)}, []any{again.Version, again.Before, again.Path, again.Size})
		second := c.change(k[1], edit("notes/plan.md", 1, "one", "two"))
		require.Equal(t, []int{2, 1, 1}, []int{second.Version, second.Before, second.Replaced})
		undone := c.change(k[2], store.FileChange{Path: "notes/plan.md", Undo: true})
		require.Equal(t, undone.Version, c.change(k[2], store.FileChange{Path: "notes/plan.md", Undo: true}).Version)
		require.Equal(t, "one", c.fileHas("notes/plan.md", 0))
		require.Equal(t, "two", c.fileHas("notes/plan.md", 2))
		c.ends(1, k)
		_, err := c.s.ChangeFile(c.ctx, k[3], text("late.md", 0, "x"))
		require.ErrorIs(t, err, store.ErrClosed, "the turn is over")
		require.Equal(t, 1, c.change(k[0], text("notes/plan.md", 0, "one")).Version)
	},
	"of two who edit one version the second is told": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 9)
		c.change(k[0], text("a.md", 0, "start"))
		const writers = 8
		var wait sync.WaitGroup
		outcomes := make([]error, writers)
		for i := range writers {
			wait.Go(func() {
				_, outcomes[i] = c.s.ChangeFile(context.Background(), k[i+1], edit("a.md", 1, "start", fmt.Sprintf("by %d", i)))
			})
		}
		wait.Wait()
		won := 0
		for i, err := range outcomes {
			if err == nil {
				won++
				require.Equal(t, fmt.Sprintf("by %d", i), c.fileHas("a.md", 0))
				continue
			}
			var conflict *store.FileConflictError
			require.ErrorAs(t, err, &conflict)
			require.Equal(t, []int{1, 2}, []int{conflict.Base, conflict.Latest.Version})
		}
		require.Equal(t, 1, won)
	},
	"a sub-agent has the files of the conversation, and must read what another wrote": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("find trains", "sasha"))
		k := c.fileCalls(2, 2)
		c.change(k[0], text("plan.md", 0, "by nikki"))
		c.change(k[1], text("plan.md", 0, "by nikki, again"))
		s := c.subCalls(id, 4)
		var conflict *store.FileConflictError
		_, err := c.s.ChangeFile(c.ctx, s[0], text("plan.md", 0, "by sasha"))
		require.ErrorAs(t, err, &conflict)
		_, err = c.s.ChangeFile(c.ctx, s[1], text("plan.md", 1, "by sasha"))
		require.ErrorAs(t, err, &conflict)
		done := c.change(s[2], text("plan.md", 2, "by sasha"))
		require.Equal(t, []any{3, core.AgentName("sasha"), core.PersonID("ada")}, []any{done.Version, done.Agent, done.Person})
		require.Equal(t, "by sasha", c.fileHas("plan.md", 0))
		_, err = c.s.CloseTask(c.ctx, id, "not needed", true)
		require.NoError(t, err)
		_, err = c.s.ChangeFile(c.ctx, s[3], text("late.md", 0, "x"))
		require.ErrorIs(t, err, store.ErrClosed, "the task is canceled")
		require.Equal(t, []string{"plan.md"}, c.paths())
	},
	"a file is read and searched piece by piece, whatever its length": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 4)
		for i, size := range []int{0, 64 << 10, 64<<10 + 1, 3<<20 + 7} {
			want := strings.Repeat("0123456789abcdef", size/16+1)[:size]
			path := fmt.Sprintf("f%d.txt", i)
			c.change(k[i], text(path, 0, want))
			f, err := c.s.File(c.ctx, c.place(), path, 0)
			require.NoError(t, err)
			require.Equal(t, int64(size), f.Size)
			require.Equal(t, want, contentOf(t, c.s, f))
			for _, at := range []int{0, 65_530, 65_536, size - 3} {
				if at < 0 || at >= size {
					continue
				}
				got := make([]byte, min(20, size-at))
				_, err := c.s.OpenFile(c.ctx, f).ReadAt(got, int64(at))
				require.NoError(t, err)
				require.Equal(t, want[at:at+len(got)], string(got))
			}
		}
	},
	"an edit finds its text across pieces, and only where it is": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 9)
		before, after := strings.Repeat("a", 64<<10-3), strings.Repeat("b", 70_000)
		c.change(k[0], text("a.txt", 0, before+"needle"+after))
		done := c.change(k[1], edit("a.txt", 1, "needle", "found it"))
		require.Equal(t, 1, done.Replaced)
		require.Equal(t, before+"found it"+after, c.fileHas("a.txt", 0))
		for i, tt := range []struct {
			change store.FileChange
			want   error
		}{
			{edit("a.txt", 2, "needle", "x"), &store.FileEditError{Found: 0, Path: "a.txt"}},
			{edit("a.txt", 2, "aa", "x"), &store.FileEditError{Found: len(before) / 2, Path: "a.txt"}},
			{edit("none.txt", 0, "aa", "x"), store.ErrNotFound},
			{text("none.txt", 3, "x"), store.ErrNotFound},
		} {
			_, err := c.s.ChangeFile(c.ctx, k[2+i], tt.change)
			var edit *store.FileEditError
			if errors.As(tt.want, &edit) {
				if edit.Found > 10_000 {
					edit.Found = 10_001 // nobody counts on
				}
				require.Equal(t, tt.want, err)
				continue
			}
			require.ErrorIs(t, err, tt.want)
		}
		c.change(k[6], text("b.txt", 0, "x, x and x"))
		all := edit("b.txt", 1, "x", "yy")
		all.Edit.All = true
		require.Equal(t, 3, c.change(k[7], all).Replaced)
		require.Equal(t, "yy, yy and yy", c.fileHas("b.txt", 0))
		require.Equal(t, before+"found it"+after, c.fileHas("a.txt", 0))
	},
	"twenty versions are kept, and undo goes back through them": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 40)
		for i := range 25 {
			c.change(k[i], text("a.md", i, fmt.Sprint(i+1)))
		}
		for version := 1; version <= 25; version++ {
			_, err := c.s.File(c.ctx, c.place(), "a.md", version)
			require.Equal(t, version <= 25-store.MaxFileVersions, errors.Is(err, store.ErrNotFound), "version %d: %v", version, err)
		}
		w := c.workspace()
		require.Equal(t, []any{1, int64(4 + 2*16)}, []any{w.Files, w.Bytes})
		undo := store.FileChange{Path: "a.md", Undo: true}
		for i, want := range []string{"24", "23", "22"} {
			done := c.change(k[25+i], undo)
			require.Equal(t, want, c.fileHas("a.md", 0))
			require.Equal(t, fmt.Sprint(done.Restores), want)
		}
		undo.To = 25
		c.change(k[28], undo)
		require.Equal(t, "25", c.fileHas("a.md", 0))
		undo.To = 2
		_, err := c.s.ChangeFile(c.ctx, k[29], undo)
		require.ErrorIs(t, err, store.ErrNotFound)
		c.change(k[30], text("new.md", 0, "x"))
		_, err = c.s.ChangeFile(c.ctx, k[31], store.FileChange{Path: "new.md", Undo: true})
		require.ErrorIs(t, err, store.ErrNotFound, "there is nothing before it")
	},
	"paths that differ by case are one file, and no path is file and folder": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 9)
		c.change(k[0], text("./Docs//Plan.md", 0, "1"))
		c.change(k[1], text("docs/plan.MD", 1, "2"))
		c.change(k[2], text("docs/Zürich.md", 0, "composed"))
		c.change(k[3], text("DOCS/Zu\u0308rich.md", 0, "decomposed"))
		require.Equal(t, []string{"Docs/Plan.md", "Docs/Zürich.md"}, c.paths())
		require.Equal(t, "2", c.fileHas("DOCS/PLAN.MD", 0))
		require.Equal(t, "decomposed", c.fileHas("docs/zürich.md", 0))
		var path *store.FilePathError
		for i, bad := range []string{"docs", "docs/plan.md/more.txt", "../a"} {
			_, err := c.s.ChangeFile(c.ctx, k[4+i], text(bad, 0, "x"))
			require.ErrorAs(t, err, &path, bad)
		}
		list, err := c.s.Files(c.ctx, c.place(), store.FileFilter{Folder: "docs", After: "Docs/Plan.md"})
		require.NoError(t, err)
		require.Len(t, list, 1)
	},
	"a file that is too large, and one too many, are refused": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 4)
		_, err := c.s.ChangeFile(c.ctx, k[0], text("big.bin", 0, strings.Repeat("x", core.MaxFile+1)))
		require.ErrorIs(t, err, store.ErrTooLarge)
		require.Empty(t, c.paths(), "nothing of it is kept")
		c.change(k[1], text("ok.txt", 0, "x"))
		w := c.workspace()
		require.Equal(t, []any{1, int64(1)}, []any{w.Files, w.Bytes})
	},
	"the files of one person, and of all, have a limit over all conversations": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{Workspaces: store.WorkspaceLimits{Person: 100, All: 150}}})
		put := func(person core.PersonID, chat, path string, size int) error {
			place := string(core.NewSessionKey(core.WebRoute(chat), person))
			_, err := c.s.PutFile(c.ctx, place, "", person, path, make([]byte, size))
			return err
		}
		require.NoError(t, put("ada", "one", "a.bin", 60))
		require.NoError(t, put("ada", "two", "b.bin", 40))
		require.ErrorIs(t, put("ada", "three", "c.bin", 1), store.ErrNoSpace, "of one person")
		require.NoError(t, put("bob", "four", "d.bin", 50))
		require.ErrorIs(t, put("bob", "four", "e.bin", 1), store.ErrNoSpace, "of all")
		_, err := c.s.RemoveFile(c.ctx, string(core.NewSessionKey(core.WebRoute("two"), "ada")), "b.bin")
		require.NoError(t, err)
		require.NoError(t, put("ada", "three", "c.bin", 40), "a removed file does not count")
	},
	"versions give way to what is written, and what cannot give way is said": func(t *testing.T, open Opener) {
		if testing.Short() {
			t.Skip("it writes hundreds of megabytes")
		}
		c := newChat(t, open, store.Options{})
		ten := bytes.Repeat([]byte("0123456789"), core.MaxFile/10)
		put := func(path string) error {
			_, err := c.s.PutFile(c.ctx, c.place(), c.session, "ada", path, ten)
			return err
		}
		for i := range 5 {
			require.NoError(t, put(fmt.Sprintf("%d.bin", i)))
			require.NoError(t, put(fmt.Sprintf("%d.bin", i)))
		}
		w := c.workspace()
		require.Equal(t, []any{5, int64(store.MaxWorkspace)}, []any{w.Files, w.Bytes})
		for i := 5; i < 10; i++ {
			require.NoError(t, put(fmt.Sprintf("%d.bin", i)))
		}
		_, err := c.s.File(c.ctx, c.place(), "0.bin", 1)
		require.ErrorIs(t, err, store.ErrNotFound, "its old version gave way")
		require.ErrorIs(t, put("11.bin"), store.ErrNoSpace)
		require.Len(t, c.paths(), 10)
		_, err = c.s.RemoveFile(c.ctx, c.place(), "3.bin")
		require.NoError(t, err)
		require.NoError(t, put("11.bin"))
	},
	"a number of a version never means two contents": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 3)
		c.change(k[0], text("a.md", 0, "old"))
		_, err := c.s.RemoveFile(c.ctx, c.place(), "A.md")
		require.NoError(t, err)
		require.Equal(t, 2, c.change(k[1], text("a.md", 0, "new")).Version)
		var conflict *store.FileConflictError
		_, err = c.s.ChangeFile(c.ctx, k[2], edit("a.md", 1, "new", "x"))
		require.ErrorAs(t, err, &conflict)
	},
	"the next session of the chat reads the files on": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 2)
		c.change(k[0], text("plan.md", 0, "one"))
		c.change(k[1], text("plan.md", 1, "two"))
		c.ends(1, k)
		old := c.session
		next, err := c.s.EndSession(c.ctx, c.key, old, "reset", "nikki")
		require.NoError(t, err)
		c.session = next
		require.Equal(t, []string{"plan.md"}, c.paths())
		list, err := c.s.Workspaces(c.ctx, "ada", store.Page{})
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, []any{next, c.route, 1}, []any{list[0].Session, list[0].Route, list[0].Files})
		e, err := c.s.Export(c.ctx, next)
		require.NoError(t, err)
		require.Len(t, e.Files, 1)
		require.Contains(t, store.Markdown(e), "- plan.md: version 2, text/plain, 3 bytes, ")

		_, err = c.s.MarkForDeletion(c.ctx, old, false)
		require.NoError(t, err)
		gone, err := c.s.DeleteSession(c.ctx, old, nil)
		require.NoError(t, err)
		require.Equal(t, []int{1, 1}, []int{gone["file_versions"], gone["file_chunks"]}, "what was not the latest went with the session that wrote it")
		require.Equal(t, "two", c.fileHas("plan.md", 0))

		var conflict *store.FileConflictError
		k = c.fileCalls(1, 1)
		_, err = c.s.ChangeFile(c.ctx, k[0], text("plan.md", 0, "three"))
		require.ErrorAs(t, err, &conflict, "this session has not read it")
		c.ends(1, k)
		_, err = c.s.MarkForDeletion(c.ctx, next, false)
		require.NoError(t, err)
		c.rehydrate()
		require.Empty(t, c.paths(), "a new session does not have what is being deleted")
		gone, err = c.s.DeleteSession(c.ctx, next, nil)
		require.NoError(t, err)
		require.Equal(t, []int{1, 1, 1, 1}, []int{gone["file_versions"], gone["file_chunks"], gone["files"], gone["workspaces"]})
	},
	"files go with their session, also many and large ones, a bounded part at a time": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		k := c.fileCalls(1, 60)
		for i := range k {
			c.change(k[i], text(fmt.Sprintf("f%d.txt", i), 0, strings.Repeat("x", 600_000)))
		}
		c.ends(1, k)
		_, err := c.s.MarkForDeletion(c.ctx, c.session, false)
		require.NoError(t, err)
		steps := 0
		cut := errors.New("cut off")
		gone, err := c.s.DeleteSession(c.ctx, c.session, func() error {
			if steps++; steps == 2 {
				return cut
			}
			return nil
		})
		require.ErrorIs(t, err, cut)
		require.NotZero(t, gone["file_chunks"])
		rest, err := c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		gone.Add(rest)
		require.Equal(t, []int{600, 60, 60, 60, 1},
			[]int{gone["file_chunks"], gone["file_versions"], gone["files"], gone["file_calls"], gone["workspaces"]})
	},
	"a tree of tasks without a chat has its own files, and they go with it": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		task, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada", Role: core.Member, Depth: 1}, to("find trains", "sasha"), "")
		require.NoError(t, err)
		k := c.subCalls(task.ID, 1)
		c.change(k[0], text("plan.md", 0, "one"))
		require.Empty(t, c.paths())
		f, err := c.s.File(c.ctx, store.TaskPlace(c.task(task.ID)), "plan.md", 0)
		require.NoError(t, err)
		require.Equal(t, "one", contentOf(t, c.s, f))
		_, err = c.s.CloseTask(c.ctx, task.ID, "enough", true)
		require.NoError(t, err)
		gone, err := c.s.DeleteTask(c.ctx, task.ID, nil)
		require.NoError(t, err)
		require.Equal(t, []int{1, 1, 1, 1, 1},
			[]int{gone["file_chunks"], gone["file_versions"], gone["files"], gone["file_calls"], gone["workspaces"]})
	},
	"a file is sent once, as it was, to the chat it was asked for in": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		id := c.delegate(1, to("write a plan", "sasha"))
		s := c.subCalls(id, 30)
		c.change(s[0], text("plan.md", 0, "first"))
		_, err := c.s.SendFile(c.ctx, s[1], "plan.md", "Here it is.", "0")
		require.ErrorIs(t, err, store.ErrChanged, "it is not the content that was approved")
		sent, err := c.s.SendFile(c.ctx, s[1], "plan.md", "Here it is.", "")
		require.NoError(t, err)
		again, err := c.s.SendFile(c.ctx, s[1], "plan.md", "Here it is.", "")
		require.NoError(t, err)
		require.Equal(t, sent, again)
		require.Equal(t, []any{true, telegram, "plan.md", "text/plain", int64(5)}, []any{sent.Queued, sent.Route, sent.File.Name, sent.File.Type, sent.File.Size})
		for i := range 25 {
			c.change(s[2+i], text("plan.md", i+1, fmt.Sprint("later ", i)))
		}
		var rows []core.Notification
		all, err := c.s.Deliveries(c.ctx, nil, store.Page{})
		require.NoError(t, err)
		for _, n := range all {
			if n.Event == core.EventFile {
				rows = append(rows, n)
			}
		}
		require.Len(t, rows, 1)
		require.Equal(t, []any{&sent.File, "Here it is.", id, core.AgentName("sasha"), c.route}, []any{rows[0].File, rows[0].Text, rows[0].Task, rows[0].Agent, rows[0].Route})
		f, place, err := c.s.FileVersion(c.ctx, rows[0].File.ID)
		require.NoError(t, err)
		require.Equal(t, "first", contentOf(t, c.s, f), "what is delivered is what was sent")
		require.Equal(t, c.place(), place)
		last := c.events()[len(c.events())-1]
		require.Equal(t, []any{core.EventFile, &sent.File}, []any{last.Type, last.File})
		_, err = c.s.SendFile(c.ctx, s[28], "none.md", "", "")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = c.s.RemoveFile(c.ctx, c.place(), "plan.md")
		require.NoError(t, err)
		_, _, err = c.s.FileVersion(c.ctx, rows[0].File.ID)
		require.ErrorIs(t, err, store.ErrNotFound, "what a person removes is gone")
		again, err = c.s.SendFile(c.ctx, s[1], "plan.md", "Here it is.", "")
		require.NoError(t, err)
		require.Equal(t, sent, again)
	},
	"ten thousand files are listed by pages": func(t *testing.T, open Opener) {
		if testing.Short() {
			t.Skip("it writes 10,000 files")
		}
		c := newChat(t, open, store.Options{})
		began := time.Now()
		for i := range store.MaxFiles {
			_, err := c.s.PutFile(c.ctx, c.place(), c.session, "ada", fmt.Sprintf("d%d/f%d.txt", i%100, i), []byte("x"))
			require.NoError(t, err)
		}
		t.Logf("%d files were written in %s", store.MaxFiles, time.Since(began).Round(time.Millisecond))
		_, err := c.s.PutFile(c.ctx, c.place(), c.session, "ada", "one more.txt", []byte("x"))
		require.ErrorIs(t, err, store.ErrNoSpace)
		seen, after := map[string]bool{}, ""
		for {
			list, err := c.s.Files(c.ctx, c.place(), store.FileFilter{After: after})
			require.NoError(t, err)
			if len(list) == 0 {
				break
			}
			for _, f := range list {
				seen[f.Path], after = true, f.Path
			}
		}
		require.Len(t, seen, store.MaxFiles)
		list, err := c.s.Files(c.ctx, c.place(), store.FileFilter{Folder: "d7", Limit: 1000})
		require.NoError(t, err)
		require.Len(t, list, 100)
	},
}
