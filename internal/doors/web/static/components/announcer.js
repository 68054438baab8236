// The one live region of a page: a screen reader says what is added here, when the
// person has heard the rest.

import {announced} from "../stores/announcer.js";
import {html} from "../ui.js";

export function Announcer() {
  return html`<div id="announcer" class="hidden" role="log">${announced.value.map(({id, text}) => html`<p key=${id}>${text}</p>`)}</div>`;
}
