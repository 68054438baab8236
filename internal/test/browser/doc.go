// Package browser tests the pages in a real Chromium. Its tests run if ERRAND_TEST_BROWSER names
// the browser's binary: Chromium, or its headless shell, which cannot run all of them (.ci/run).
package browser
