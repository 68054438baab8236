// What a person has spent today, and how much of the budget that is.

import type * as API from "../api_types";
import {me} from "../stores/account";
import {money, number, short} from "../numbers";
import {say} from "../words";

// limitOf is the limit that is nearest: of several, the one of which the largest part is spent.
function limitOf(day: API.DayBudget) {
  const limits = [
    {spent: day.cost, most: day.max_cost ?? 0, text: money, unit: money},
    {spent: day.calls, most: day.max_calls ?? 0, text: number, unit: (n: number) => say("page.today.calls", {n: number(n)})},
    {spent: day.tokens, most: day.max_tokens ?? 0, text: short, unit: (n: number) => say("page.today.tokens", {n: short(n)})},
  ].filter(({most}) => most > 0);
  return limits.sort((a, b) => b.spent / b.most - a.spent / a.most).at(0);
}

// SpentToday is the cost of this person's day in a few words, if it is known.
export function SpentToday() {
  const {cost = 0, max_cost: most} = me.value?.today ?? {}, amount = most ? say("page.today.of", {spent: money(cost), most: money(most)}) : money(cost);
  return cost || most ? <span class="spent">{say("page.today.spent", {amount})}</span> : null;
}

export function Today({day = me.value?.today, label = say("page.chat_list.today")}: {day?: API.DayBudget; label?: string}) {
  if (!day?.calls && !day?.max_cost && !day?.max_calls && !day?.max_tokens) return null;
  const limit = limitOf(day), says = limit ? say("page.today.of", {spent: limit.text(limit.spent), most: limit.unit(limit.most)}) : day.cost ? money(day.cost) : say("page.today.calls", {n: number(day.calls)});
  return <p class="today"><span dir="auto">{label}</span><span class="num">{says}</span>
    {limit && <progress max={limit.most} value={Math.min(limit.spent, limit.most)} aria-label={says} />}</p>;
}
