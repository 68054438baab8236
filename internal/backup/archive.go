package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"errand/internal/store"
)

// format is the version of the archive's form. It changes if older programs cannot read it.
const format = 1

const manifestName = "manifest.json"

// A Manifest is the first member of an archive. It describes the others.
type Manifest struct {
	Format  int        `json:"format"`
	Errand  string     `json:"errand"` // the version of the program that wrote it
	Secrets bool       `json:"secrets"`
	Copy    store.Copy `json:"copy"`
	Members []Member   `json:"members"` // in their order
}

// A Member is a file of an archive.
type Member struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// maxManifest limits what is read of a file that may be no backup.
const maxManifest = 1 << 20

// write writes the files of dir as an archive. It adds them to m.
func (m *Manifest) write(to io.Writer, dir string) error {
	if err := m.addFiles(dir); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	zipped, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	out := tar.NewWriter(zipped)
	header := func(name string, size int64) error {
		return out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: m.Copy.Made})
	}
	if err := header(manifestName, int64(len(raw))); err != nil {
		return err
	}
	if _, err := out.Write(raw); err != nil {
		return err
	}
	for _, member := range m.Members {
		if err := header(member.Name, member.Size); err != nil {
			return err
		}
		if err := copyFile(out, filepath.Join(dir, filepath.FromSlash(member.Name))); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), zipped.Close())
}

func (m *Manifest) addFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sum := sha256.New()
		if err := copyFile(sum, path); err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		m.Members = append(m.Members, Member{filepath.ToSlash(name), info.Size(), hex.EncodeToString(sum.Sum(nil))})
		return nil
	})
}

func copyFile(to io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

// ErrDamaged refuses a file that is not what [Write] wrote.
var ErrDamaged = errors.New("it is damaged, or no backup of errand")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// read reads an archive to its end and checks it. each gets the content of every member before it is
// checked.
func read(path string, each func(Member, io.Reader) error) (m Manifest, err error) {
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	zipped, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return m, damaged("%w", err)
	}
	in := tar.NewReader(zipped)
	if m, err = readManifest(in); err != nil {
		return m, err
	}
	for _, member := range m.Members {
		if err := readMember(in, member, each); err != nil {
			return m, err
		}
	}
	if _, err := in.Next(); !errors.Is(err, io.EOF) {
		return m, damaged("its list of files is not complete")
	}
	if _, err := io.Copy(io.Discard, zipped); err != nil { // compares the checksum of the whole
		return m, damaged("%w", err)
	}
	return m, nil
}

func readManifest(in *tar.Reader) (m Manifest, err error) {
	header, err := in.Next()
	if err != nil || header.Name != manifestName {
		return m, damaged("its first file is not %s", manifestName)
	}
	if err := json.NewDecoder(io.LimitReader(in, maxManifest)).Decode(&m); err != nil {
		return m, damaged("%s: %w", manifestName, err)
	}
	if m.Format != format {
		return m, fmt.Errorf("its format is %d, and this program reads format %d: use errand %s", m.Format, format, m.Errand)
	}
	return m, nil
}

func readMember(in *tar.Reader, want Member, each func(Member, io.Reader) error) error {
	header, err := in.Next()
	if err != nil {
		return damaged("%s: %w", want.Name, err)
	}
	if header.Name != want.Name || header.Size != want.Size || !filepath.IsLocal(want.Name) {
		return damaged("%s is where %s should be", header.Name, want.Name)
	}
	sum := sha256.New()
	if err := each(want, io.TeeReader(in, sum)); err != nil {
		return damagedIf(err, want.Name)
	}
	if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
		return damaged("%s has another checksum", want.Name)
	}
	return nil
}

// damagedIf keeps errors of this machine's files apart from those of the archive.
func damagedIf(err error, name string) error {
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return damaged("%s: %w", name, err)
}
