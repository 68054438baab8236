// What became of a question: the answer, by whom, when and where.

import {display, moment} from "../api.js";
import {me} from "../stores/account.js";
import {html} from "../ui.js";
import {textOf} from "./schema_field.js";

const ends = {answered: "Answered", declined: "Declined", expired: "Nobody answered in time", withdrawn: "Withdrawn: nobody needs the answer any more"};

// What the codes of answers mean.
const allowed = {approval: {yes: "yes", always: "always, this tool in this session"}};

export function QuestionEnd({question: q, called}) {
  if (q.state === "open") return null;
  const by = q.answered_by && (q.answered_by === me.value?.id ? "you" : called?.(q.answered_by) ?? q.answered_by);
  const who = q.answered_as ? `by ${display(q.answered_as)} for ${by}, from what was said` : by ? `by ${by}` : "";
  const said = q.state === "answered" ? allowed[q.kind]?.[q.answer] ?? textOf(q.schema, q.answer) : q.state === "declined" ? q.answer : "";
  const where = q.answered_in && by ? `on ${q.answered_in === "web" ? "this page or the API" : q.answered_in}` : "";
  return html`<p class="question-end" data-state=${q.state}>
    <span class="state">${ends[q.state] ?? q.state}${said ? ": " : ""}</span>
    ${said && html`<span class="said-answer" dir="auto">${said}</span>`}
    <span class="muted">${" "}${[who, where, moment(q.answered)].filter(Boolean).join(", ")}</span>
  </p>`;
}
