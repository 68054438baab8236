// A question where its task is shown.

import type * as API from "../api_types";
import type {Given} from "../stores/questions";
import {AnswerForm} from "./answer_form";
import {Initials} from "./initials";
import {Text} from "./text";
import {WaitsFor} from "./waits_for";

export function AskedHere({question: q, answer}: {question: API.QuestionView; answer: (given: Given) => Promise<unknown>}) {
  return <div class="asked question-card">
    <div class="row"><Initials name={q.agent} /><div class="asked-text"><Text text={q.text} /></div></div>
    {q.may_answer ? <AnswerForm question={q} answer={answer} /> : <WaitsFor question={q} />}
  </div>;
}
