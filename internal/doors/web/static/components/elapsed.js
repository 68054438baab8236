// How long something has taken, or takes.

import {elapsed} from "../api.js";
import {now} from "../stores/clock.js";
import {html} from "../ui.js";

export function Elapsed({from, to}) {
  return html`<span class="elapsed">${elapsed(new Date(from), to ? new Date(to) : new Date(now.value))}</span>`;
}
