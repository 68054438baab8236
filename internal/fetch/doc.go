// Package fetch is the HTTP client for addresses from people, models, pages and API
// callers: it connects only to public addresses, and limits what it reads.
//
// It checks the address after the name was resolved, for each connection and each
// redirect. A name that resolves differently the second time (DNS rebinding) does not get
// past the check. Hosts that the operator allows ([Options.Allow]) are exempt if the
// request names them, but not if a redirect leads to them.
package fetch
