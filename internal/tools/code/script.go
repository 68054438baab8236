package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// inside is the program's folder. It is in memory, so that errand also counts files that
// are deleted but still open. The workspace is never on the disk.
const inside = "/work"

// roomSize is larger than l.Files, so that errand notices the limit before the file
// system is full.
func (l Options) roomSize() int64 { return l.Files + max(l.Files/16, 1<<20) }

func programPath(l Language) string { return "/tmp/main" + commands[l].suffix }

// script returns a shell script that unpacks files from its input, runs body, and ends all
// processes when the program or the input ends. It writes the start, the end and the files
// to its output. The program's output goes to standard error.
func script(body string, archive int64) string {
	// The script must run in its own process namespace: kill -1 ends every process except the
	// shell and the first process of the namespace. With oom_score_adj, the kernel ends these
	// processes before errand if memory runs out.
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
tar --help 2>&1 | grep -q -e --hard-dereference && set -- --hard-dereference || set --
exec tar "$@" -cf - . >&3
`, archive, inside, body)
}

type boxed struct {
	sandbox commandSandbox
	options Options
	body    func(Language) string // the shell code that runs the program, given as arguments
}

func (b boxed) run(ctx context.Context, j job) (outcome, error) {
	size, err := j.archiveSize()
	if err != nil {
		return outcome{}, err
	}
	line := slices.Concat([]string{"sh", "-c", script(b.body(j.language), size)}, commands[j.language].line, []string{programPath(j.language)})
	cmd := b.sandbox.command(ctx, line...)
	defer closeExtra(cmd)
	return b.options.exchange(ctx, cmd, j, true)
}

// exchange runs a command that reads the archive of j and writes the output that
// [receiver] reads.
func (l Options) exchange(ctx context.Context, cmd *exec.Cmd, j job, ends bool) (outcome, error) {
	r := receiver{ends: ends}
	o, failed, err := l.run(ctx, cmd, &r.progress, ends, func(from *io.PipeReader, to io.WriteCloser) error {
		fed := make(chan error, 1)
		go func() {
			err := j.archive(to, j.files.open)
			if err != nil {
				to.Close()
			}
			fed <- err
		}()
		r.receive(from, j.files, l.roomSize()*3/2) // an archive is larger than its files
		from.Close()
		return <-fed
	})
	if !r.ended.time().IsZero() {
		o.exit = r.exit
	}
	o.kept, o.slow = r.complete || r.began.time().IsZero(), r.slow
	if errors.Is(failed, syscall.EPIPE) || errors.Is(failed, os.ErrClosed) {
		failed = nil // it ended before it had read its files
	}
	return o, cmp.Or(err, failed, context.Cause(ctx))
}
