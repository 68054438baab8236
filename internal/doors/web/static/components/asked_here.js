// A question where its task is shown.

import {html} from "../ui.js";
import {mayAnswer} from "../stores/questions.js";
import {say} from "../words.js";
import {AnswerForm} from "./answer_form.js";
import {Text} from "./text.js";

export function AskedHere({question: q, answer, called}) {
  return html`<div class="asked">
    <div class="asked-text"><${Text} text=${q.text} /></div>
    ${mayAnswer(q) ? html`<${AnswerForm} question=${q} answer=${answer} />` : html`<p class="muted">${say("page.asked_here.it_asks", {name: called(q.person)})}</p>`}
  </div>`;
}
