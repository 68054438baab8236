// Package pdftext finds the text in PDF files, in a process of its own.
//
// A PDF is a program from somebody else: it can be made so that whoever reads it runs
// out of memory or stack, or never comes to its end. In Go nothing contains that but
// the end of the process, so the program calls itself for each file, with less of
// everything, and without its environment.
package pdftext
