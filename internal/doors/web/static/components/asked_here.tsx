// A question where its task is shown.

import type * as API from "../api_types";
import {type Given, mayAnswer} from "../stores/questions";
import {say} from "../words";
import {AnswerForm} from "./answer_form";
import {Text} from "./text";

export function AskedHere({question: q, answer, called}: {question: API.QuestionView; answer: (given: Given) => Promise<unknown>; called: (id: string) => string}) {
  return <div class="asked">
    <div class="asked-text"><Text text={q.text} /></div>
    {mayAnswer(q) ? <AnswerForm question={q} answer={answer} /> : <p class="muted">{say("page.asked_here.it_asks", {name: called(q.person)})}</p>}
  </div>;
}
