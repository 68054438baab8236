// What became of a question: the answer, by whom, when and where.

import type * as API from "../api_types";
import {display, moment} from "../api";
import {me} from "../stores/account";
import {say, type Values, type Words} from "../words";
import {ExactCall} from "./approval";
import {Icon} from "./icon";
import {textOf} from "./schema_field";

const ends: Words = {answered: () => say("page.question_end.answered"), declined: () => say("page.question_end.declined"), expired: () => say("page.question_end.nobody_answered_in_time"),
  withdrawn: () => say("page.question_end.withdrawn_nobody_needs_answer")};

// What became of an approval: by oneself, or by another person.
const decisions: Words<[boolean, Values]> = {
  yes: (mine, v) => say(mine ? "page.question_end.you_approved" : "page.question_end.approved", v),
  no: (mine, v) => say(mine ? "page.question_end.you_declined" : "page.question_end.declined_by", v),
};

export function QuestionEnd({question: q, called}: {question: API.QuestionView; called?: (id: string) => string}) {
  if (q.state === "open") return null;
  const mine = q.answered_by === me.value?.id, name = q.answered_by ? called?.(q.answered_by) ?? q.answered_by : "";
  const decided = q.approval && name && !q.answered_as ? decisions[q.state === "answered" ? "yes" : "no"]?.(mine, {name, tool: q.approval.tool}) : "";
  const by = name && (mine ? say("page.you_lower") : name);
  const who = decided ? "" : q.answered_as ? say("page.question_end.from_was_said", {agent: display(q.answered_as), name: by}) : by ? say("page.question_end.by", {name: by}) : "";
  const said = q.state === "answered" ? q.approval ? q.answer === "always" ? say("page.question_end.always_tool_session") : "" : textOf(q.schema, q.answer ?? "") : q.state === "declined" ? q.answer : "";
  const where = q.answered_in && by && q.answered_in !== "web" ? say("page.on", {channel: q.answered_in}) : "";
  return <div class="question-end" data-state={q.state}>
    <Icon name={q.state === "answered" ? "check" : q.state === "declined" ? "x" : "clock"} />
    <p><span class="state">{decided || (ends[q.state]?.() ?? q.state)}{said ? ": " : ""}</span>
      {said && <span class="said-answer" dir="auto">{said}</span>}
      <span class="muted">{who ? " " : ", "}{[who, where, moment(q.answered)].filter(Boolean).join(", ")}</span></p>
    {q.approval && <ExactCall approval={q.approval} />}
  </div>;
}
