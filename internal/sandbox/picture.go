package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// shrinkPicture reads one picture from in, writes the picture for the model to out, and
// returns the exit code. It confines the process before it reads the picture.
func shrinkPicture(in io.Reader, out io.Writer) int {
	IgnoreInterrupts()
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	var q pictureRequest
	if err != nil || json.Unmarshal(line, &q) != nil {
		return 1
	}
	// Makes the garbage collector work harder before memory runs out.
	debug.SetMemoryLimit(int64(q.Limits.Memory / 4 * 3))
	limits := q.Limits
	limits.Memory += RaceDetector
	if err := Confine(limits); err != nil {
		fmt.Fprintln(out, err)
		return 1
	}
	data := make([]byte, q.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return 1
	}
	if _, err := io.WriteString(out, pictureBegun); err != nil {
		return 1
	}
	var answer pictureResponse
	var f *PictureFault
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
