package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// MakeSchema creates an empty schema, named with prefix, in the PostgreSQL database at address.
// whole is the URL of the schema; drop deletes the schema with its contents.
func MakeSchema(ctx context.Context, address, prefix string) (whole string, drop func(context.Context) error, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", nil, errors.New("the address of the PostgreSQL database is no URL") // err has the password
	}
	schema := prefix + "_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	admin, err := sql.Open("pgx", address)
	if err != nil {
		return "", nil, errors.New("the address of the PostgreSQL database cannot be read")
	}
	if _, err := admin.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a schema: %w", err), admin.Close())
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String(), func(ctx context.Context) error {
		_, err := admin.ExecContext(ctx, "DROP SCHEMA "+schema+" CASCADE")
		return errors.Join(err, admin.Close())
	}, nil
}
