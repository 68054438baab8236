// Package paralleltest runs the tests of a package beside each other that wait more than
// they compute.
package paralleltest

import (
	"flag"
	"strconv"
)

// Set has so many tests run at once, unless -parallel says otherwise. TestMain calls it
// before it runs them.
func Set(tests int) {
	if err := flag.Set("test.parallel", strconv.Itoa(tests)); err != nil {
		panic(err) // it is a flag of every test, and a number
	}
	flag.Parse()
}
