// Package background makes the model calls that do not belong to a turn: it names chats and
// checks whether models answer.
package background
