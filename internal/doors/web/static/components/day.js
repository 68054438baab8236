// The day on which what follows was said.

import {before, dayName, dayOf} from "../times.js";
import {html} from "../ui.js";
import {language, say} from "../words.js";

export {dayOf};

export function Day({at}) {
  const day = dayOf(at), today = dayOf(new Date());
  const word = day === today ? say("page.day.today") : day === before(today) ? say("page.day.yesterday") : dayName(at);
  return html`<h2 class="day" lang=${language}><time datetime=${day}>${word}</time></h2>`;
}
