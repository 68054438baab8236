// Lines across a chat: where a day begins, and where the agent began anew.

import {before, dateName, dayName, dayOf, type Time} from "../times";
import {language, say} from "../words";

export {dayOf};

export function Day({at}: {at: Time}) {
  const day = dayOf(at), today = dayOf(new Date());
  const word = day === today ? say("page.day.today", {date: dateName(at)}) : day === before(today) ? say("page.day.yesterday", {date: dateName(at)}) : dayName(at);
  return <p class="divider day" lang={language}><time datetime={day}>{word}</time></p>;
}

export function StartedOver({at, agent}: {at: Time; agent?: string}) {
  return <p class="divider anew" lang={language}>{say("page.day.started_over", {day: dayName(at), agent})}</p>;
}
