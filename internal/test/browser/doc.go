// Package browser tests the pages in a real Chromium. Its test runs where
// ERRAND_TEST_BROWSER names the browser's binary.
package browser
