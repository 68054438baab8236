package whatsapp_test

import (
	"os"
	"testing"

	"errand/internal/test/paralleltest"
)

func TestMain(m *testing.M) {
	paralleltest.Set(6)
	os.Exit(m.Run())
}
