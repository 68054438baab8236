package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

const (
	filesAbout = "A session, the tasks delegated from it and the next session of the chat share their files. The beginning of an id is enough if it is unique."
	fileAbout  = "It comes as an attachment, with the media type of its content. Callers who may not read the conversation get 404."

	bytesMedia = "application/octet-stream"
)

// FilesOf names the session or the task that files belong to.
type FilesOf struct {
	Of string `path:"of" id:"session" description:"id of a session or a task, or its beginning"`
}

// FilePath names a file.
type FilePath struct {
	FilesOf
	Path string `query:"path" maxLength:"400" description:"of the file, such as notes/plan.md"`
}

type ListWorkspacesInput struct {
	Person
	After
	Limit int `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
}

var ListWorkspaces = Op[ListWorkspacesInput, List[core.Workspace]]{
	Name: "listWorkspaces", Needs: rights.FilesRead, Also: []string{rights.OthersRead}, Route: "GET /api/files",
	About: "List the conversations that have files, last changed first",
}

type ListFilesInput struct {
	FilesOf
	Folder string `query:"folder" maxLength:"400" description:"only what is in this folder"`
	After  string `query:"after" maxLength:"400" description:"only what is behind this path: for the next page"`
	Limit  int    `query:"limit" default:"1000" maximum:"10000" description:"at most so many, 1000 by default"`
}

var ListFiles = Op[ListFilesInput, []core.File]{
	Name: "listFiles", Needs: rights.FilesRead, Also: []string{rights.OthersRead}, Route: "GET /api/files/{of}",
	About: "List the files of a session or task, ordered by path", More: filesAbout,
}

type GetFileInput struct {
	FilePath
	Version int `query:"version" maximum:"1000000000" description:"an earlier version; the latest when left out"`
}

var GetFile = Op[GetFileInput, File]{
	Name: "getFile", Needs: rights.FilesRead, Also: []string{rights.OthersRead}, Route: "GET /api/files/{of}/content", Media: bytesMedia,
	About: "Download a file", More: fileAbout, Answer: "The file",
}

type PutFileInput struct {
	FilePath
	Body Upload
}

var PutFile = Op[PutFileInput, core.FileChanged]{
	Name: "putFile", Needs: rights.FilesChange, Also: []string{rights.OthersRead, rights.OthersChange}, Route: "PUT /api/files/{of}/content",
	Rate: RateMessage, Media: bytesMedia, MaxBody: core.MaxFile,
	About: "Write a file: the body is its content. The old content is kept as an earlier version", Answer: "what was written",
}

var DeleteFile = Op[FilePath, core.File]{
	Name: "deleteFile", Needs: rights.FilesChange, Also: []string{rights.OthersRead, rights.OthersChange}, Route: "DELETE /api/files/{of}/content",
	About: "Delete a file and all its versions", Answer: "the deleted file",
}

type GetFileVersionInput struct {
	ID int64 `path:"id" id:"file" description:"of the version, as the event or the delivery says"`
}

var GetFileVersion = Op[GetFileVersionInput, File]{
	Name: "getFileVersion", Needs: rights.FilesRead, Route: "GET /api/file-versions/{id}", Media: bytesMedia,
	About: "Download the version of a file that an agent sent", More: fileAbout, Answer: "The file",
}

type GetArtifactInput struct {
	ID core.ArtifactID `path:"id" id:"file" description:"artifact id"`
}

var GetArtifact = Op[GetArtifactInput, File]{
	Name: "getArtifact", Needs: rights.ArtifactsRead, Route: "GET /api/artifacts/{id}", Media: bytesMedia,
	About: "Download a file that a person sent",
	More: "Only the sender and partners or higher roles may download it; others get 404. It comes as an attachment, with the media type of its content. " +
		"The artifacts of a session are in GET /api/sessions/{id}.",
}

type SendFileByToolInput struct {
	Key    core.CallKey `wire:"-"` // of the tool call; the file is sent once for it
	Path   string       `wire:"-"`
	Text   string       `wire:"-"`
	SHA256 string       `wire:"-"` // the hash that the file must have; empty: any
}

// SendFileByTool carries out the tool send_file. It returns store.ErrChanged if the file's hash is not
// SHA256.
var SendFileByTool = Op[SendFileByToolInput, core.FileDelivery]{
	Name: "sendFileByTool", Needs: rights.FilesRead, Tool: true, About: "Send a file of the workspace to the chat of a tool call",
}
