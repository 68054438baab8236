// Package code is the tool by which agents run programs: in a container, in bubblewrap,
// or as JavaScript in WebAssembly, and never beside errand itself.
//
// What runs sees the files of its conversation, a system that it cannot write, and
// nothing of errand: neither its environment nor its folders. It has no network unless
// the configuration gives it one, and limits on time, memory, processes, files and what
// it prints.
package code
