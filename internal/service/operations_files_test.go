package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
)

func usesOfFiles() map[string]use {
	put := func(of api.FilesOf) api.PutFileInput {
		return api.PutFileInput{FilePath: api.FilePath{FilesOf: of, Path: "a.md"}, Body: api.NewUpload([]byte("to Oslo"))}
	}
	own := func(h *house, by actor.Actor) api.FilesOf { return api.FilesOf{Of: string(h.session(by.Person))} }
	return map[string]use{
		"listWorkspaces": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListWorkspaces, by, api.ListWorkspacesInput{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListWorkspaces, by, api.ListWorkspacesInput{Person: api.Person{Person: other(by)}})
			},
		},
		"listFiles": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListFiles, by, api.ListFilesInput{FilesOf: own(h, by)})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListFiles, by, api.ListFilesInput{FilesOf: h.groupTask(by.Person)})
			},
		},
		"getChatWork": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetChatWork, by, api.GetChatWorkInput{ChatName: api.ChatName{Chat: "main"}})
		}},
		"getFile": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetFile, by, api.GetFileInput{FilePath: api.FilePath{FilesOf: own(h, by), Path: "a.md"}})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetFile, by, api.GetFileInput{FilePath: api.FilePath{FilesOf: h.groupTask(by.Person), Path: "plan.md"}})
			},
		},
		"putFile": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.PutFile, by, put(own(h, by)))
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.PutFile, by, put(h.groupTask(by.Person)))
			},
		},
		"deleteFile": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.DeleteFile, by, api.FilePath{FilesOf: own(h, by), Path: "a.md"})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.DeleteFile, by, api.FilePath{FilesOf: h.groupTask(by.Person), Path: "plan.md"})
			},
		},
		"getFileVersion": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetFileVersion, by, api.GetFileVersionInput{ID: 1})
		}},
		"getArtifact": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetArtifact, by, api.GetArtifactInput{ID: "a-none"})
		}},
		"sendFileByTool": {tool: "send_file", own: func(ctx context.Context, h *house, by actor.Actor) error {
			key := core.CallKey{StepKey: core.StepKey{Owner: core.SessionOwner("none"), Turn: 1, Step: 1}, Index: 1}
			return do(ctx, h, api.SendFileByTool, by, api.SendFileByToolInput{Key: key, Path: "a.md"})
		}},
	}
}
