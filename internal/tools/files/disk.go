package files

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"errand"
	"errand/internal/content"
	"errand/internal/folder"
	"errand/internal/store"
)

// A Disk is a folder of this machine's disk, whose files begin with its name.
type Disk struct {
	Name   string
	Folder folder.Folder
	For    func(errand.AgentName) bool // which agents have it; nil: all
	Role   errand.Role                 // the least one for whom they have it
	Write  bool                        // they may write in it
}

// opens reports whether the agent that makes a call has the folder.
func (d Disk) opens(call store.Call) bool {
	return call.Role.Includes(d.Role) && (d.For == nil || d.For(call.Agent))
}

type disks []Disk

// find returns the folder in which a path is, and the path in there; nil: it is in the
// workspace. A folder that the agent has not is refused: its name means nothing else.
func (list disks) find(call store.Call, name string) (*Disk, string, error) {
	first, rest, _ := strings.Cut(path.Clean(name), "/")
	for i := range list {
		switch d := &list[i]; {
		case !strings.EqualFold(d.Name, first):
		case !d.opens(call):
			return nil, "", fmt.Errorf("%s is a folder on disk, which you have not for this person: choose another", first)
		default:
			return d, rest, nil
		}
	}
	return nil, "", nil
}

func (w workspace) listDisks(call store.Call) string {
	var b strings.Builder
	for _, d := range w.disks {
		if !d.opens(call) {
			continue
		}
		how := "read-only"
		if d.Write {
			how = "may be written"
		}
		fmt.Fprintf(&b, "%s/  a folder on disk, %s: list it by its name\n", d.Name, how)
	}
	return b.String()
}

// problem is what a model reads of an error of a folder on disk. One that is no fault of
// the path, such as that the folder is not on this machine, it reads too: no other attempt
// helps.
func (d Disk) problem(name string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("error: there is no %q on disk: list_files says which files there are in %s", errand.Cut(content.Line(name), 100), d.Name)
	}
	return fmt.Sprintf("error: %s: %v", d.Name, err)
}

// fingerprint tells one content from another: on disk nobody counts versions.
func fingerprint(r io.Reader) (int, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return 0, err
	}
	return 1 + int(binary.BigEndian.Uint32(sum.Sum(nil))%1_000_000_000), nil
}

func (d Disk) list(in args, under string) string {
	after := strings.TrimPrefix(in.After, d.Name+"/")
	var b strings.Builder
	n, last := 0, ""
	err := d.Folder.Walk(under, after, func(e folder.Entry) bool {
		if n++; n > listPage {
			return false
		}
		last = d.Name + "/" + e.Path
		fmt.Fprintf(&b, "%s  %s  on disk, %s\n", last, content.Size(e.Size), stamp(e.Modified))
		return true
	})
	switch {
	case err != nil:
		return d.problem(in.Folder, err)
	case n == 0 && in.After != "":
		return "There are no more files."
	case n == 0:
		return fmt.Sprintf("There is no file in %s.", content.Line(in.Folder))
	case n > listPage:
		fmt.Fprintf(&b, "(there are more; go on with after %q)\n", last)
	}
	return b.String()
}

func (d Disk) read(in args, at string) (string, error) {
	file, e, err := d.Folder.Open(at)
	if err != nil {
		return d.problem(in.Path, err), nil
	}
	defer file.Close()
	name := d.Name + "/" + e.Path
	if e.Size > store.MaxFile {
		return fmt.Sprintf("error: %s has %s; at most %s are read", name, content.Size(e.Size), content.Size(store.MaxFile)), nil
	}
	if in.Version > 0 {
		return fmt.Sprintf("error: %s is on disk: there are no earlier versions of it", name), nil
	}
	if typ := typeOf(file); e.Size > 0 && !content.IsText(typ) {
		return fmt.Sprintf("error: %s is %s, %s: only text can be read", name, typ, content.Size(e.Size)), nil
	}
	version, err := fingerprint(io.NewSectionReader(file, 0, e.Size))
	if err != nil {
		return d.problem(in.Path, err), nil
	}
	title := fmt.Sprintf("%s, version %d, %s, on disk, %s", name, version, content.Size(e.Size), stamp(e.Modified))
	text, err := page(title, name, e.Size, io.NewSectionReader(file, 0, e.Size), in)
	if err != nil {
		return d.problem(in.Path, err), nil
	}
	return text, nil
}

func typeOf(file *os.File) string {
	head := make([]byte, 3072)
	n, _ := file.ReadAt(head, 0)
	return content.TypeOf(head[:n])
}

// find searches a folder, or a folder in it.
func (d Disk) find(ctx context.Context, s *search, under string) error {
	var failed error
	err := d.Folder.Walk(under, strings.TrimPrefix(s.after, d.Name+"/"), func(e folder.Entry) bool {
		if s.spent() {
			s.full = true
			return false
		}
		failed = d.findIn(ctx, s, e)
		if failed == nil && !s.full {
			s.after, s.line = d.Name+"/"+e.Path, 1
		}
		return failed == nil && !s.full
	})
	if err == nil {
		err = failed
	}
	return err
}

func (d Disk) findIn(ctx context.Context, s *search, e folder.Entry) error {
	file, e, err := d.Folder.Open(e.Path)
	if err != nil {
		return nil // removed meanwhile, or not for us to read
	}
	defer file.Close()
	if e.Size > store.MaxFile || !content.IsText(typeOf(file)) {
		return nil
	}
	return s.lines(ctx, d.Name+"/"+e.Path, bufio.NewReaderSize(file, findPiece))
}

var errInterrupted = errors.New("outcome unknown: errand was interrupted while it wrote this file. Read it before you try again")

// change writes or edits a file. A call that runs again finds what it has done, or says
// that it does not know.
func (w workspace) change(ctx context.Context, call store.Call, d *Disk, at string, in args, edit bool) (string, error) {
	name := errand.Cut(content.Line(in.Path), 200)
	if !d.Write {
		return fmt.Sprintf("error: %s is read-only. Write into the workspace instead, under another name", d.Name), nil
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	var wrote []byte
	replaced := 1
	err := d.Folder.Change(at, store.MaxFile, func(now []byte, there bool) ([]byte, error) {
		version, _ := fingerprint(bytes.NewReader(now)) // of what is in memory: it cannot fail
		switch {
		case edit && !there:
			return nil, fs.ErrNotExist
		case !edit && there && string(now) == in.Content:
		case there && version != in.Version && call.Again:
			return nil, errInterrupted
		case there && version != in.Version && in.Version == 0:
			return nil, errors.New("it is there already: read it, and name its version to replace it")
		case version != in.Version && (there || in.Version > 0):
			return nil, errors.New("it is not in that version any more: read it again, and make your change to what it is now")
		}
		wrote = []byte(in.Content)
		if edit {
			switch replaced = bytes.Count(now, []byte(in.Old)); {
			case replaced == 0:
				return nil, errors.New("the old text is not in it as given. Read it again, and copy the text exactly, with its spaces and line ends")
			case replaced > 1 && !in.All:
				return nil, fmt.Errorf("the old text is %d times in it. Give more of what is around it, or set all to replace each", replaced)
			}
			wrote = bytes.ReplaceAll(now, []byte(in.Old), []byte(in.New))
		}
		return wrote, nil
	})
	if err != nil {
		return d.problem(in.Path, err), nil
	}
	version, _ := fingerprint(bytes.NewReader(wrote))
	if edit {
		return fmt.Sprintf("%s is changed on disk: version %d, %s; the text was replaced, times: %d.", name, version, content.Size(int64(len(wrote))), replaced), nil
	}
	return fmt.Sprintf("%s is written on disk: version %d, %s.", name, version, content.Size(int64(len(wrote)))), nil
}
