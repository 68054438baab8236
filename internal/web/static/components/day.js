// The day on which what follows was said.

import {html} from "../ui.js";
import {language, say} from "../words.js";

export const dayOf = at => at ? new Date(at).toDateString() : "";

export function Day({at}) {
  const day = new Date(at), now = new Date(), before = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  const word = day.toDateString() === now.toDateString() ? say("Today") : day.toDateString() === before.toDateString() ? say("Yesterday")
    : day.toLocaleDateString(language.value, {weekday: "long", day: "numeric", month: "long", year: day.getFullYear() === now.getFullYear() ? undefined : "numeric"});
  return html`<h2 class="day" lang=${language}><time datetime=${`${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`}>${word}</time></h2>`;
}
