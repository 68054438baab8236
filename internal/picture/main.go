package picture

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"errand/internal/ownprocess"
)

// Main shrinks one picture that it reads from in, writes what a model is shown to out,
// and returns the exit code. It takes from the process what a file could use up.
func Main(in io.Reader, out io.Writer) int {
	ownprocess.IgnoreInterrupts()
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	var q request
	if err != nil || json.Unmarshal(line, &q) != nil {
		return 1
	}
	debug.SetMemoryLimit(int64(q.Limits.Memory / 4 * 3)) // garbage is collected before there is no room
	limits := q.Limits
	limits.Memory += ownprocess.RaceDetector
	if err := ownprocess.Confine(limits); err != nil {
		fmt.Fprintln(out, err)
		return 1
	}
	data := make([]byte, q.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return 1
	}
	if _, err := io.WriteString(out, begun); err != nil {
		return 1
	}
	var answer response
	var f *Fault
	answer.Shown, err = shrinkHere(context.Background(), q.Type, data)
	switch {
	case errors.As(err, &f):
		answer.Fault = f.Why
	case err != nil:
		return 1
	}
	if err := json.NewEncoder(out).Encode(answer); err != nil {
		return 1
	}
	return 0
}
