package whatsapp_test

import (
	"flag"
	"os"
	"testing"
)

// atOnce is how many tests run beside each other, unless -parallel says otherwise:
// they wait more than they compute.
const atOnce = "6"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err) // it is a flag of every test, and a number
	}
	flag.Parse()
	os.Exit(m.Run())
}
