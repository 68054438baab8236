// What became of a question: the answer, by whom, when and where.

import {display, moment} from "../api.js";
import {me} from "../stores/account.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {textOf} from "./schema_field.js";

const ends = {answered: () => say("Answered"), declined: () => say("Declined"), expired: () => say("Nobody answered in time"),
  withdrawn: () => say("Withdrawn: nobody needs the answer any more")};

// What the codes of answers mean.
const allowed = {approval: {yes: () => say("yes"), always: () => say("always, this tool in this session")}};

export function QuestionEnd({question: q, called}) {
  if (q.state === "open") return null;
  const by = q.answered_by && (q.answered_by === me.value?.id ? say("you") : called?.(q.answered_by) ?? q.answered_by);
  const who = q.answered_as ? say("by {agent} for {name}, from what was said", {agent: display(q.answered_as), name: by}) : by ? say("by {name}", {name: by}) : "";
  const said = q.state === "answered" ? allowed[q.kind]?.[q.answer]?.() ?? textOf(q.schema, q.answer) : q.state === "declined" ? q.answer : "";
  const where = q.answered_in && by ? q.answered_in === "web" ? say("on this page or by the API") : say("on {channel}", {channel: q.answered_in}) : "";
  return html`<p class="question-end" data-state=${q.state}>
    <span class="state">${ends[q.state]?.() ?? q.state}${said ? ": " : ""}</span>
    ${said && html`<span class="said-answer" dir="auto">${said}</span>`}
    <span class="muted">${" "}${[who, where, moment(q.answered)].filter(Boolean).join(", ")}</span>
  </p>`;
}
