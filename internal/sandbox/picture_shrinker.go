package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// A PictureShrinker turns picture files into pictures for models. The zero value decodes
// in this process, and only the header check limits its memory.
type PictureShrinker struct {
	// Program is the path of this executable, which calls [RunJob]. Each picture is decoded in
	// its own process.
	Program string

	limits Limits // default: pictureLimits
}

// pictureLimits adds room for a file of 20 MB, the result and the program to maxPictureMemory.
var pictureLimits = Limits{Memory: maxPictureMemory + 256<<20, CPU: 15 * time.Second}

// Shrink returns the picture for a model. Of an animation it takes the first frame. The same
// file always gives the same bytes. A *[PictureFault] is permanent. Any other error is not
// caused by the picture and must not be stored: ctx has ended, or the process could not start.
func (s PictureShrinker) Shrink(ctx context.Context, typ string, data []byte) (ShownPicture, error) {
	if s.Program == "" {
		return shrinkHere(ctx, typ, data)
	}
	if s.limits == (Limits{}) {
		s.limits = pictureLimits
	}
	// Do not start a process for a picture that it would refuse.
	if _, err := ReadPictureHeader(typ, data); err != nil {
		return ShownPicture{}, err
	}
	return s.shrinkApart(ctx, typ, data)
}

// A pictureRequest is the first line of the input. The file follows it.
type pictureRequest struct {
	Type   string
	Size   int // bytes of the file
	Limits Limits
}

type pictureResponse struct {
	Shown ShownPicture
	Fault string // why the picture cannot be shown
}

// pictureBegun is written before decoding. If the process dies after it, the picture is the cause.
const pictureBegun = "begun\n"

// maxPictureAnswer is in bytes.
const maxPictureAnswer = 16 << 20

const pictureTooMuch = "it takes more memory or time to decode than there is for a picture"

func (s PictureShrinker) shrinkApart(ctx context.Context, typ string, data []byte) (ShownPicture, error) {
	head, err := json.Marshal(pictureRequest{Type: typ, Size: len(data), Limits: s.limits})
	if err != nil {
		return ShownPicture{}, err
	}
	cmd := Command(ctx, s.Program, ShrinkPicture)
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(data))
	out, err := Output(cmd, maxPictureAnswer)
	answer, began := bytes.CutPrefix(out, []byte(pictureBegun))
	var r pictureResponse
	switch {
	// If the system has no CPU limit, ctx has ended the process.
	case err != nil && began && cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() >= s.limits.CPU:
		return ShownPicture{}, pictureFault(pictureTooMuch)
	case ctx.Err() != nil:
		return ShownPicture{}, context.Cause(ctx)
	case !began:
		return ShownPicture{}, fmt.Errorf("the process that decodes pictures, %s %s, ends before it begins: %w %.200s", s.Program, ShrinkPicture, cmp.Or(err, io.ErrUnexpectedEOF), answer)
	case err != nil || json.Unmarshal(answer, &r) != nil:
		return ShownPicture{}, pictureFault(pictureTooMuch)
	case r.Fault != "":
		return ShownPicture{}, pictureFault("%s", r.Fault)
	}
	return r.Shown, nil
}
