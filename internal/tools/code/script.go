package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// A program works in a file system of its own that is as large as its files may be, in
// memory: there errand counts files that are deleted and still open. Nothing of the workspace
// is on the machine's disk.
const inside = "/work"

// roomSize is larger than l.Files, so that errand notices before there is no more room.
func (l Options) roomSize() int64 { return l.Files + max(l.Files/16, 1<<20) }

func programPath(l Language) string { return "/tmp/main" + commandOf(l).suffix }

// script returns a shell script. It unpacks the files from the first bytes of its input, runs
// body as the program, and ends all processes when the program or the rest of the input ends.
// To its output it writes that the program began, how it ended, and its files. What the
// program prints goes to its standard error.
func script(body string, archive int64) string {
	// Never beside anything else: kill -1 is everybody but the shell itself and the
	// first process of a namespace. Where the machine has no more memory, the kernel ends
	// what is in here first, and not errand.
	return fmt.Sprintf(`[ $$ -lt 100 ] || { echo "it has no processes of its own" >&2; exit 125; }
exec 3>&1 4<&0 5>&2 >/dev/null 2>&1 </dev/null
echo 1000 >/proc/self/oom_score_adj
{ cd / && head -c %d <&4 | tar -xmf - && cd %s; } 2>&5 || exit 125
echo began >&3
( %s ) >&5 2>&5 3>&- 4<&- 5>&- &
program=$!
( read -r _; kill -9 $program ) <&4 3>&- 5>&- &
exec 4<&- 5>&-
wait $program
code=$?
kill -9 -1
echo "ended $code" >&3
chmod -R u+rX .
exec tar -cf - . >&3
`, archive, inside, body)
}

// boxed runs programs in a sandbox.
type boxed struct {
	sandbox sandbox
	options Options
	body    func(Language) string // becomes the program, which is its arguments, in a shell
}

func (b boxed) run(ctx context.Context, j job) (outcome, error) {
	size, err := j.archiveSize()
	if err != nil {
		return outcome{}, err
	}
	line := append([]string{"sh", "-c", script(b.body(j.language), size)}, commandOf(j.language).line(programPath(j.language))...)
	cmd := b.sandbox.command(ctx, line...)
	defer closeExtra(cmd)
	var r receiver
	o, failed, err := b.options.exchange(ctx, cmd, &r.progress, true, func(from, to *os.File) error {
		fed := make(chan error, 1)
		go func() {
			_, err := j.archive(to, true)
			if err != nil {
				to.Close()
			}
			fed <- err
		}()
		r.receive(from, j.files, b.options.roomSize()*3/2) // an archive has more than its files
		go io.Copy(io.Discard, from)                       // the sandbox ends by itself
		return <-fed
	})
	if !r.ended.time().IsZero() {
		o.exit = r.exit
	}
	o.kept = r.complete || r.began.time().IsZero()
	if errors.Is(failed, syscall.EPIPE) || errors.Is(failed, os.ErrClosed) {
		failed = nil // it has ended before it has read its files
	}
	return o, cmp.Or(err, failed, context.Cause(ctx))
}
