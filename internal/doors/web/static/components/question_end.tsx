// What became of a question: the answer, by whom, when and where.

import type * as API from "../api_types";
import {display, moment} from "../api";
import {me} from "../stores/account";
import {say, type Words} from "../words";
import {textOf} from "./schema_field";

const ends: Words = {answered: () => say("page.question_end.answered"), declined: () => say("page.question_end.declined"), expired: () => say("page.question_end.nobody_answered_in_time"),
  withdrawn: () => say("page.question_end.withdrawn_nobody_needs_answer")};

// What the codes of answers mean.
const allowed: Partial<Record<string, Words>> = {approval: {yes: () => say("page.yes"), always: () => say("page.question_end.always_tool_session")}};

export function QuestionEnd({question: q, called}: {question: API.QuestionView; called?: (id: string) => string}) {
  if (q.state === "open") return null;
  const by = q.answered_by && (q.answered_by === me.value?.id ? say("page.you_lower") : called?.(q.answered_by) ?? q.answered_by);
  const who = q.answered_as ? say("page.question_end.from_was_said", {agent: display(q.answered_as), name: by}) : by ? say("page.question_end.by", {name: by}) : "";
  const said = q.state === "answered" ? allowed[q.kind]?.[q.answer ?? ""]?.() ?? textOf(q.schema, q.answer ?? "") : q.state === "declined" ? q.answer : "";
  const where = q.answered_in && by ? q.answered_in === "web" ? say("page.question_end.page_or_api") : say("page.on", {channel: q.answered_in}) : "";
  return <p class="question-end" data-state={q.state}>
    <span class="state">{ends[q.state]?.() ?? q.state}{said ? ": " : ""}</span>
    {said && <span class="said-answer" dir="auto">{said}</span>}
    <span class="muted">{" "}{[who, where, moment(q.answered)].filter(Boolean).join(", ")}</span>
  </p>;
}
