// Package fetch is the HTTP client for addresses that people, models, pages and
// callers name: it connects to public addresses only, and bounds what it reads.
//
// What is checked is the address that is dialed, after the name was resolved, for
// each connection and so for each redirect too: a name that resolves to something
// else the second time (DNS rebinding) gains nothing. The operator's own addresses
// ([Options.Allow]) are exempt, for the request that names them and not for a
// redirect that leads to them.
package fetch
