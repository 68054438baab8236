// Who has to answer a question that this person cannot answer, and since when.

import type * as API from "../api_types";
import {moment} from "../api";
import {language, say} from "../words";

// either names people of whom one is enough.
export const either = (names: string[] = []) => new Intl.ListFormat(language.value, {type: "disjunction"}).format(names);

export function WaitsFor({question: q}: {question: API.QuestionView}) {
  if (q.state !== "open" || q.may_answer) return null;
  const names = either(q.deciders), values = {names, time: moment(q.created)};
  return <p class="waits-for muted" dir="auto">{q.kind !== "approval" ? say("page.waits_for.answer", values) : say(names ? "page.waits_for.approve" : "page.waits_for.nobody", values)}</p>;
}
