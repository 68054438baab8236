package telegram

import (
	"io"
)

// mostUpload is how large a file is that a bot may send; longestCaption is how long the
// text that goes with it may be, in UTF-16 units.
const (
	mostUpload     = 50 << 20
	longestCaption = 1024
)

func (s *Server) sendDocument(r *request) (any, error) {
	name, data, err := r.upload("document")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.chat(r)
	if err != nil {
		return nil, err
	}
	caption := r.params["caption"]
	if units(caption) > longestCaption {
		return nil, bad("message caption is too long")
	}
	var entities []Entity
	if _, err := r.object("caption_entities", &entities); err != nil {
		return nil, err
	}
	if entities, err = checkEntities(caption, entities); err != nil {
		return nil, err
	}
	m := &message{From: r.bot.user(), Chat: c.info(), Date: s.opts.Now().Unix(), Caption: caption, CaptionEntities: entities}
	if err := c.inThread(r, m); err != nil {
		return nil, err
	}
	if err := s.limit(r.bot, c); err != nil {
		return nil, err
	}
	m.Document = s.store(data, 0, "documents")
	m.Document.Name = name
	m.ID = c.nextID()
	c.shown = append(c.shown, &shown{message: m, bot: r.bot})
	delete(r.bot.actions, c.ID)
	s.happened()
	return m, nil
}

func (r *request) upload(field string) (name string, data []byte, err error) {
	if r.MultipartForm == nil || len(r.MultipartForm.File[field]) == 0 {
		return "", nil, bad("there is no " + field + " in the request")
	}
	header := r.MultipartForm.File[field][0]
	if header.Size > mostUpload {
		return "", nil, &refusal{code: 413, text: "Request Entity Too Large"}
	}
	f, err := header.Open()
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	data, err = io.ReadAll(f)
	return header.Filename, data, err
}
