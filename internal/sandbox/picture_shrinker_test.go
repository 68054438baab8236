package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/gif"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// apart decodes in processes of its own.
func apart(t *testing.T) PictureShrinker {
	t.Helper()
	return PictureShrinker{Program: program(t), limits: pictureLimits}
}

// manyScans is a progressive JPEG, grey and square, with so many passes over all of its
// blocks. Each is written in a few bytes: they end blocks by the thousand.
func manyScans(side uint16, scans int) []byte {
	data := append([]byte{0xff, 0xd8}, frameOf(0xc2, side, side, 1)...)
	table := make([]byte, 18)
	table[0], table[1], table[17] = 0x10, 1, 0xe0 // of AC coefficients; one code, of one bit: 16,384 blocks end
	data = append(data, segment(0xc4, table...)...)
	blocks := (int(side) + 7) / 8
	scan := append(segment(0xda, 1, 1, 0, 1, 63, 0), make([]byte, (blocks*blocks/16_384+1)*15/8+1)...)
	data = append(data, bytes.Repeat(scan, scans)...)
	return append(data, 0xff, 0xd9)
}

// TestApart proves that a process of its own makes of a picture the same as this one.
func TestApart(t *testing.T) {
	var frames bytes.Buffer
	require.NoError(t, gif.Encode(&frames, halves(300, 200), nil))
	webp, err := base64.StdEncoding.DecodeString(webpPixel)
	require.NoError(t, err)
	photo := asJPEG(t, halves(3200, 2401))
	for name, tt := range map[string]struct {
		typ  string
		data []byte
	}{
		"a photo":        {typeJPEG, photo},
		"a screenshot":   {typePNG, asPNG(t, halves(2000, 1000))},
		"a GIF":          {typeGIF, frames.Bytes()},
		"WebP":           {typeWebP, webp},
		"progressive":    {typeJPEG, manyScans(640, 3)},
		"half a photo":   {typeJPEG, photo[:len(photo)/2]},
		"a bomb":         {typePNG, hugePNG(50_000, 50_000)},
		"too long":       {typePNG, hugePNG(70_000, 1)},
		"a drawing":      {"image/svg+xml", []byte("<svg/>")},
		"nothing":        {typePNG, nil},
		"nothing at all": {},
		"two-faced":      {typeJPEG, twoFaced(65_535, 65_535)},
	} {
		t.Run(name, func(t *testing.T) {
			want, wantErr := PictureShrinker{}.Shrink(t.Context(), tt.typ, tt.data)
			got, err := apart(t).Shrink(t.Context(), tt.typ, tt.data)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got)
		})
	}
	_, err = apart(t).Shrink(canceled(t), typeJPEG, photo)
	require.ErrorIs(t, err, context.Canceled)
}

// TestUsedUp proves that a picture is at fault if it ends the process that decodes it, and that
// this process goes on. A picture that the machine had no time for is not at fault.
func TestUsedUp(t *testing.T) {
	var f *PictureFault
	large := manyScans(7000, 1) // needs 245 MB
	t.Run("memory", func(t *testing.T) {
		if RaceDetector > 0 {
			t.Skip("with the room that the race detector has there is no end of it")
		}
		s := apart(t)
		s.limits.Memory = 160 << 20
		_, err := s.Shrink(t.Context(), typeJPEG, large)
		require.ErrorAs(t, err, &f)
		require.Equal(t, pictureTooMuch, f.Why)
	})
	t.Run("as much as it may", func(t *testing.T) {
		_, err := apart(t).Shrink(t.Context(), typeJPEG, large)
		require.NoError(t, err)
	})
	slow := manyScans(7000, 100)
	t.Run("the processor", func(t *testing.T) {
		s := apart(t)
		s.limits.CPU = time.Second
		_, err := s.Shrink(t.Context(), typeJPEG, slow)
		require.ErrorAs(t, err, &f)
		require.Equal(t, pictureTooMuch, f.Why)
	})
	for name, s := range map[string]PictureShrinker{"time": apart(t), "time of this process": {}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := s.Shrink(ctx, typeJPEG, slow)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NotErrorAs(t, err, &f)
		})
	}
	nothing, err := exec.LookPath("false")
	require.NoError(t, err)
	for name, program := range map[string]string{"no program": filepath.Join(t.TempDir(), "errand"), "another program": nothing} {
		t.Run(name, func(t *testing.T) {
			_, err := PictureShrinker{Program: program}.Shrink(t.Context(), typePNG, asPNG(t, halves(20, 10)))
			require.ErrorContains(t, err, program+" shrink-picture, ends before it begins")
			require.NotErrorAs(t, err, &f)
		})
	}
}

// TestPictureInterrupted proves that Ctrl-C, which reaches both processes, does not end the one
// that decodes: the picture would be at fault.
func TestPictureInterrupted(t *testing.T) {
	data := manyScans(2000, 100)
	head, err := json.Marshal(pictureRequest{Type: typeJPEG, Size: len(data), Limits: pictureLimits})
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), apart(t).Program, ShrinkPicture)
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(data))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, pictureBegun, line)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var answer pictureResponse
	require.NoError(t, json.NewDecoder(r).Decode(&answer))
	require.NoError(t, cmd.Wait())
	require.Equal(t, image.Pt(MaxPictureSide, MaxPictureSide), image.Pt(answer.Shown.Width, answer.Shown.Height))
}
