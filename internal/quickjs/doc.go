// Package quickjs runs programs of JavaScript in QuickJS, each in a process of its own.
//
// QuickJS is WebAssembly here: a program has its own memory, no system calls but the
// clock, and no folder. What WebAssembly does not bound is the time that it sleeps and
// the memory of whoever runs it, so the program that errand is calls itself for each
// of them: without its environment, with limits of the system's, and with no more files
// than it was started with. Files of the conversation are asked of the process that
// started it.
package quickjs
