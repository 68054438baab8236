package code

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A program works in a file system of its own that is as large as its files may be, in
// memory: files that it deletes and holds open take room there, and on a disk nobody
// would count them. Its files are copied in from below, where they cannot be written.
const (
	inside = "/work"
	below  = "/in"
)

// roomSize is how large that file system is: what is more than l.Files is noticed before
// there is no more room.
func (l Options) roomSize() int64 { return l.Files + max(l.Files/16, 1<<20) }

// inRoom is a shell's script that copies the files in, has body become the program, and
// ends all that is left when it has ended or the script's input has. It writes to its
// output that the program begins, how it ended, and its files. What the program prints
// is the script's errors.
func inRoom(body string) string {
	// Never beside anything else: kill -1 is everybody but the shell itself and the
	// first process of a namespace. Where the machine has no more memory, the kernel ends
	// what is in here first, and not errand.
	return `[ $$ -lt 100 ] || { echo "it has no processes of its own" >&2; exit 125; }
exec 3>&1 4<&0 5>&2 >/dev/null 2>&1 </dev/null
echo 1000 >/proc/self/oom_score_adj
{ cp -R ` + below + `/. ` + inside + `/ && cd ` + inside + `; } 2>&5 || exit 125
echo began >&3
( ` + body + ` ) >&5 2>&5 3>&- 4<&- 5>&- &
program=$!
( read -r _; kill -9 $program ) <&4 3>&- 5>&- &
exec 4<&- 5>&-
wait $program
code=$?
kill -9 -1
echo "ended $code" >&3
chmod -R u+rX .
exec tar -cf - . >&3
`
}

// runInRoom runs cmd, a shell with such a script, and puts the files that are left into
// the folder of p.
func (l Options) runInRoom(ctx context.Context, cmd *exec.Cmd, p program) (outcome, error) {
	in, stop, err := os.Pipe()
	if err != nil {
		return outcome{}, err
	}
	defer in.Close()
	defer stop.Close()
	files, out, err := os.Pipe()
	if err != nil {
		return outcome{}, err
	}
	defer files.Close()
	defer out.Close()
	cmd.Stdin, cmd.Stdout = in, out
	defer context.AfterFunc(ctx, func() { files.Close() })()
	var r receiver
	received := make(chan error, 1)
	go func() {
		received <- r.receive(files, p.left, l.roomSize())
		_, _ = io.Copy(io.Discard, files) // the sandbox ends by itself
	}()
	o, err := l.run(ctx, cmd, hooks{
		began: r.began.time, ended: r.ended.time, moved: r.moved.time,
		stop: func() { stop.Close() },
	})
	over := time.Now()
	out.Close()
	// What it has written is there. Who else has the other end is not waited for.
	defer time.AfterFunc(silent, func() { files.Close() }).Stop()
	failed := <-received
	if err == nil {
		err = cmp.Or(context.Cause(ctx), failed)
	}
	began, ended := r.began.time(), r.ended.time()
	if !ended.IsZero() {
		o.exit, over = r.exit, ended
	}
	if !began.IsZero() {
		o.took = max(0, over.Sub(began))
	}
	o.kept, o.refused = r.complete || began.IsZero(), r.refused
	return o, err
}

// A receiver reads what the script writes: lines that say that the program began and how
// it ended, and its files. A program can write there what it likes: no more is believed
// of it than of its files.
type receiver struct {
	began, ended moment
	moved        moment // when something of the files came last
	exit         int
	complete     bool     // all files were there
	refused      []string // but these, and why
}

// An archiveReader notes when it has read something, and whether it was read to its end:
// an archive that is complete says so before.
type archiveReader struct {
	io.Reader
	moved *moment
	cut   bool
}

func (r *archiveReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.moved.now()
	}
	if err != nil {
		r.cut = true
	}
	return n, err
}

// receive puts the files into folder, of which there may be so many bytes. What it returns
// is a fault of errand's; that a program's files are not complete is none.
func (r *receiver) receive(from io.Reader, folder string, size int64) error {
	lines := bufio.NewReader(from)
	line, err := lines.ReadSlice('\n') // of a line without end no more is read
	if err != nil || string(line) != "began\n" {
		return nil
	}
	r.began.now()
	line, err = lines.ReadSlice('\n')
	if err != nil {
		return nil
	}
	if _, err := fmt.Sscanf(string(line), "ended %d\n", &r.exit); err != nil {
		return nil
	}
	r.ended.now()
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	size += size / 2 // an archive has more than its files
	in := &archiveReader{Reader: io.LimitReader(lines, size), moved: &r.moved}
	into := intake{root, size}
	archive := tar.NewReader(in)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			r.complete = !in.cut
			return nil
		}
		if err != nil {
			return nil // it was ended, or its holes are larger than its room
		}
		name := strings.TrimPrefix(h.Name, "./")
		if h.Typeflag != tar.TypeReg || skipped(name) {
			continue // a link leads nowhere, and folders are made for files
		}
		switch err := into.take(name, h, archive); {
		case err == nil:
		case errors.Is(err, errNoRoom):
			return nil
		case errors.Is(err, errCut):
			return into.remove(name) // a part of it would be a new version of it
		case len(r.refused) < mostRefused:
			r.refused = append(r.refused, fileNote(name, err.Error()))
		case len(r.refused) == mostRefused:
			r.refused = append(r.refused, "more than these")
		}
	}
}

// mostRefused is how many files are named that could not be kept.
const mostRefused = 50
