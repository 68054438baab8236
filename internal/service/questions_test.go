package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestQuestionsOfAChat proves that the questions of one chat are listed with where they are asked,
// and that those which are over are listed only on request.
func TestQuestionsOfAChat(t *testing.T) {
	h := newHouse(t, nil)
	by := as(core.Member)
	over, open := h.asked(h.taskIn(chatOf("member")), false), h.asked(h.taskIn(chatOf("member")), false)
	h.asked(h.task("member"), false)
	servicetest.Must(h.AnswerQuestion(t.Context(), by, over, api.QuestionAnswer{Text: "Yes"}))(t)
	for all, want := range map[bool][]core.QuestionID{false: {open}, true: {over, open}} {
		list := servicetest.Must(ops.Do(t.Context(), h.Runner, api.ListQuestions, by, api.ListQuestionsInput{Chat: "main", All: all}))(t)
		var ids []core.QuestionID
		for _, q := range list.Items {
			ids = append(ids, q.ID)
			require.Equal(t, "web main", q.Channel+" "+q.Chat)
		}
		require.ElementsMatch(t, want, ids)
	}
	err := do(t.Context(), h, api.ListQuestions, as(core.MasterAdmin), api.ListQuestionsInput{Chat: "main", Person: "*"})
	servicetest.WantRefusal(t, err, service.KindInvalid, "name the person whose chat")
}
