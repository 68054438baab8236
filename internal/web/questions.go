package web

import (
	"net/http"

	"errand"
	"errand/internal/service"
)

type questionsIn struct {
	Person errand.PersonID `query:"person" description:"whom they ask; you by default, * is everybody"`
	All    bool            `query:"all" description:"true: those that are over too"`
	Limit  int             `query:"limit" minimum:"1" maximum:"1000" description:"at most so many, the newest; 100 by default"`
}

func (s *Server) getQuestions(r *http.Request, in questionsIn) ([]errand.Question, error) {
	return s.Backend.Questions(r.Context(), actor(r), in.Person, in.All, in.Limit)
}

type answerIn struct {
	ID   string `path:"id" id:"question" description:"question id, or its unique beginning"`
	Body struct {
		Text    string `json:"text" description:"the answer: one of the options, or its number, where there are some; what the schema asks for; else any text"`
		Decline bool   `json:"decline" description:"true: you do not want to answer; without text"`
	}
}

func (s *Server) postAnswer(r *http.Request, in answerIn) (errand.Question, error) {
	return s.Backend.AnswerQuestion(r.Context(), actor(r), in.ID,
		service.Answer{Text: in.Body.Text, Decline: in.Body.Decline, Route: errand.Route{Channel: errand.ChannelWeb}})
}
