// Package attack attacks a whole installation as strangers, guests, members and
// neighbours on the same machine would; it has tests only. What somebody got away
// with once is a case here.
package attack
