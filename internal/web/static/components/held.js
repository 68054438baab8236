// Until when something is held back: it is the quiet hours of whom it is for.

import {html} from "../ui.js";
import {sayWith} from "../words.js";

export function Held({until}) {
  if (!until || new Date(until) <= new Date()) return null;
  const clock = new Date(until).toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"});
  return html`<span class="held">${sayWith("held until {time} (quiet hours)", {time: html`<time datetime=${until}>${clock}</time>`})}</span>`;
}
