package sqldb_test

import (
	"strings"
	"testing"

	"errand/internal/store/sqldb"
)

// TestPasswordIsNotShown proves that no error names the password of PostgreSQL,
// wherever in the address it stands, and that it says which database it is about.
func TestPasswordIsNotShown(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://errand:dbpassword@127.0.0.1:1/words":                  "database words at 127.0.0.1:1",
		"postgres://127.0.0.1:1/words?user=errand&password=dbpassword":    "database words at 127.0.0.1:1",
		"postgres://127.0.0.1:1/words?password=dbpassword&sslmode=oddity": "cannot be read",
		"postgres://errand:dbpassword@127.0.0.1:port/words":               "is not a URL",
	} {
		db, err := sqldb.Open(sqldb.Options{PostgreSQL: address, Name: "test"})
		if err == nil {
			err = db.Ping(t.Context())
			db.Close()
		}
		if err == nil {
			t.Errorf("%s was opened", address)
			continue
		}
		if strings.Contains(err.Error(), "dbpassword") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q and no password", address, err, want)
		}
	}
}
