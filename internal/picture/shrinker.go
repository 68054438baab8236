package picture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"errand/internal/ownprocess"
)

// Argument is how a program is called that is to shrink one picture: [Main] does it.
const Argument = "shrink-picture"

// A Shrinker makes of the files of pictures what a model is shown. Its zero value decodes
// in this process, where only what the headers of files say bounds what decoding needs.
type Shrinker struct {
	// Program hands [Argument] to [Main]: this program, by its path. Each picture is
	// decoded in a process of its own.
	Program string

	limits ownprocess.Limits // default: those that are shipped
}

// shipped leave a decoder what maxMemory says, beside a file of 20 MB, what is made of
// the picture, and the program.
var shipped = ownprocess.Limits{Memory: maxMemory + 256<<20, CPU: 15 * time.Second}

// Shrink makes of the file of a picture what a model is shown; of an animation the first
// frame. The same file becomes the same bytes. An error that is a *[Fault] is so for ever.
// Any other is not the picture's fault, and not to be kept: ctx has ended, or no process
// could be started.
func (s Shrinker) Shrink(ctx context.Context, typ string, data []byte) (Shown, error) {
	if s.Program == "" {
		return shrinkHere(ctx, typ, data)
	}
	if s.limits == (ownprocess.Limits{}) {
		s.limits = shipped
	}
	// No process is started for what would be refused there.
	if _, err := ReadHeader(typ, data); err != nil {
		return Shown{}, err
	}
	return s.shrinkApart(ctx, typ, data)
}

// A request is what the process is asked that decodes a picture. The file follows it.
type request struct {
	Type   string
	Size   int // bytes of the file
	Limits ownprocess.Limits
}

// A response is what it answers, behind the line begun.
type response struct {
	Shown Shown
	Fault string // why there is none
}

// begun is what the process says when it begins to decode. What ends it from there on is
// the picture.
const begun = "begun\n"

// maxAnswer is how long an answer may be, in bytes, with what stands before it.
const maxAnswer = 16 << 20

const tooMuch = "it takes more memory or time to decode than there is for a picture"

// shrinkApart shrinks a picture in a process of its own.
func (s Shrinker) shrinkApart(ctx context.Context, typ string, data []byte) (Shown, error) {
	head, err := json.Marshal(request{Type: typ, Size: len(data), Limits: s.limits})
	if err != nil {
		return Shown{}, err
	}
	cmd := ownprocess.Command(ctx, s.Program, Argument)
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(data))
	out, err := ownprocess.Output(cmd, maxAnswer)
	answer, began := bytes.CutPrefix(out, []byte(begun))
	var r response
	switch {
	// Where the system has no such limit, it is ctx that has ended the process.
	case err != nil && began && cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() >= s.limits.CPU:
		return Shown{}, fault(tooMuch)
	case ctx.Err() != nil:
		return Shown{}, context.Cause(ctx)
	case !began:
		return Shown{}, fmt.Errorf("the process that decodes pictures, %s %s, ends before it begins: %w %.200s", s.Program, Argument, cmp.Or(err, io.ErrUnexpectedEOF), answer)
	case err != nil || json.Unmarshal(answer, &r) != nil:
		return Shown{}, fault(tooMuch)
	case r.Fault != "":
		return Shown{}, fault("%s", r.Fault)
	}
	return r.Shown, nil
}
