// The one live region of a page: a screen reader says what is written here, when the
// person has heard the rest.

import {announced} from "../stores/announcer.js";
import {html} from "../ui.js";

export function Announcer() {
  return html`<p id="announcer" class="hidden" role="status">${announced}</p>`;
}
