// The day on which what follows was said.

import {before, dayName, dayOf, type Time} from "../times";
import {language, say} from "../words";

export {dayOf};

export function Day({at}: {at: Time}) {
  const day = dayOf(at), today = dayOf(new Date());
  const word = day === today ? say("page.day.today") : day === before(today) ? say("page.day.yesterday") : dayName(at);
  return <h2 class="day" lang={language}><time datetime={day}>{word}</time></h2>;
}
