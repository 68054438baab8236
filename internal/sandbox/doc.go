// Package sandbox reads documents, shrinks pictures and runs JavaScript, each in a process
// of its own with limits.
//
// Documents, pictures and programs are untrusted. A malicious one makes its reader use up
// all memory or stack, or run for ever. In Go only the end of the process contains that.
// So errand starts itself again for each such job: [Command] describes the process,
// without errand's environment, and [Output] runs it. In the new process [RunJob] does the
// job. It calls [IgnoreInterrupts] first, and [Confine] before it reads the document,
// picture or program.
//
// A [DocumentReader] extracts the text of PDF files and web pages.
//
// A [PictureShrinker] turns pictures from people into pictures for models: upright, of
// limited size, and without the camera's metadata. The header of a file of a few kilobytes
// can claim a billion pixels, or only the decoder may find them. So there is a second
// guard: the shrinker estimates the cost of decoding from the header, and does not decode
// a picture that costs too much.
//
// A [JavaScriptProgram] runs in QuickJS, compiled to WebAssembly: a program has its own
// memory, no system calls except the clock, and no folder. WebAssembly limits neither the
// time that a program sleeps nor the memory of the host; the process limits both. The
// parent process sends an archive of the conversation's files, and receives the files that
// the program writes.
package sandbox
