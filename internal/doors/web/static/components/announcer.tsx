// The one live region of a page: a screen reader says what is added here, when the
// person has heard the rest.

import {announced} from "../stores/announcer";

export function Announcer() {
  return <div id="announcer" class="hidden" role="log">{announced.value.map(({id, text}) => <p key={id}>{text}</p>)}</div>;
}
