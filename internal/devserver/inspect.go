//go:build !nodevserver

package devserver

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// quickCheckLimit is the size up to which every page is looked at before the
// server starts: some 0.1 s. Beyond it, damage shows when a page is read.
const quickCheckLimit = 32 << 20

// inspect reads who made the file at path, without changing a byte of it.
func inspect(ctx context.Context, path string) (maker, error) {
	size, err := checkHeader(path)
	if err != nil {
		return maker{}, err
	}
	db, err := openFile(path, "ro", "busy_timeout(1000)")
	if err != nil {
		return maker{}, fmt.Errorf("open Temporal's database: %w", err)
	}
	defer db.Close()
	m, err := readMaker(ctx, db)
	if err == nil && size <= quickCheckLimit {
		err = quickCheck(ctx, db)
	}
	if isDamage(err) {
		return maker{}, &IncompatibleError{Path: path, Reason: "is damaged", Err: err}
	}
	if err != nil {
		return maker{}, fmt.Errorf("read Temporal's database %s: %w", path, err)
	}
	return m, nil
}

// checkHeader recognises what is no SQLite database, and one that has been cut
// off (https://www.sqlite.org/fileformat.html, section 1.3), and returns the
// file's size.
func checkHeader(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open Temporal's database: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("open Temporal's database: %w", err)
	}
	if info.IsDir() {
		return 0, &IncompatibleError{Path: path, Reason: "is a folder"}
	}
	head := make([]byte, 100)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:16]) != "SQLite format 3\x00" {
		return 0, &IncompatibleError{Path: path, Reason: "is not a SQLite database"}
	}
	pageSize := int64(binary.BigEndian.Uint16(head[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	pages := int64(binary.BigEndian.Uint32(head[28:]))
	// After a kill the write-ahead log may still hold the pages at the end.
	_, noLog := os.Stat(path + "-wal")
	if noLog != nil && info.Size() < pages*pageSize {
		return 0, &IncompatibleError{Path: path, Reason: "is damaged: its end is missing"}
	}
	return info.Size(), nil
}

// readMaker returns the zero maker for a database that errand did not make.
func readMaker(ctx context.Context, db *sql.DB) (maker, error) {
	var m maker
	var ours bool
	err := db.QueryRowContext(ctx, `SELECT count(*) > 0 FROM sqlite_master WHERE name = 'errand_made_by'`).Scan(&ours)
	if err != nil || !ours {
		return m, err
	}
	err = db.QueryRowContext(ctx, `SELECT server, schema FROM errand_made_by`).Scan(&m.Server, &m.Schema)
	if errors.Is(err, sql.ErrNoRows) {
		return maker{}, nil
	}
	return m, err
}

type damage string

func (d damage) Error() string { return string(d) }

func quickCheck(ctx context.Context, db *sql.DB) error {
	var found string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return damage(found)
	}
	return nil
}

func isDamage(err error) bool {
	var e *sqlite.Error
	if errors.As(err, &e) {
		code := e.Code() & 0xff // the rest is detail
		return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
	}
	var d damage
	return errors.As(err, &d)
}

// cannotUse says why a server cannot use a file that them made; "" if it can.
// Temporal promises that a server understands what the minor version before it
// wrote; nothing beyond, and nothing backwards.
func (us maker) cannotUse(them maker) string {
	if them == (maker{}) {
		return "was not made by errand"
	}
	made := fmt.Sprintf("was made by Temporal server %s, and this errand brings %s", them.Server, us.Server)
	if them.Schema != us.Schema {
		return made + " with another schema"
	}
	theirMajor, theirMinor, ok1 := release(them.Server)
	major, minor, ok2 := release(us.Server)
	switch {
	case !ok1 || !ok2 || theirMajor != major:
		return made
	case theirMinor > minor:
		return made + ", which is older"
	case theirMinor < minor-1:
		return made + ", which is too far ahead"
	}
	return ""
}

func release(version string) (major, minor int, ok bool) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err1 == nil && err2 == nil
}
