// Package doctext finds the text in PDF files and web pages, in a process of its own.
//
// A document comes from others. It can be made so that the program that reads it runs out
// of memory or stack, or never ends. In Go only the end of the process contains that, so
// errand calls itself for each document, with a limit on memory and time, and without its
// environment.
package doctext
