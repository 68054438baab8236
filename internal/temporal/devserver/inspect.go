//go:build !nodevserver

package devserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// quickCheckLimit is the size, in bytes, up to which every page is checked before the server
// starts, which takes about 0.1 s. In a larger file, damage shows when a page is read.
const quickCheckLimit = 32 << 20

// inspect does not change the file.
func inspect(ctx context.Context, path string, size int64) (maker, error) {
	db, err := openFile(path, "ro", "busy_timeout(1000)")
	if err != nil {
		return maker{}, fmt.Errorf("open Temporal's database: %w", err)
	}
	defer db.Close()
	m, err := readMaker(ctx, db)
	if err == nil && size <= quickCheckLimit {
		err = quickCheck(ctx, db)
	}
	if reason := damageIn(err); reason != "" {
		return maker{}, &IncompatibleError{Path: path, Reason: reason, Err: err}
	}
	if err != nil {
		return maker{}, fmt.Errorf("read Temporal's database %s: %w", path, err)
	}
	return m, nil
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

func damageIn(err error) string {
	var e *sqlite.Error
	code := 0
	if errors.As(err, &e) {
		code = e.Code() & 0xff // the other bits are details
	}
	switch {
	case code == sqlite3.SQLITE_NOTADB:
		return "is not a SQLite database"
	case code == sqlite3.SQLITE_CORRUPT || errors.As(err, new(damage)):
		return "is damaged"
	}
	return ""
}

// cannotUse returns why a server cannot use a file, or "" if it can. Temporal promises only that a
// server understands the previous minor version.
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
