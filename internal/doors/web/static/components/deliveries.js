// Deliveries that a person has to decide about.

import {ask} from "../api.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";
import {stateWord} from "./state_word.js";

export function Deliveries({list, refresh}) {
  return html`<section id="deliveries" aria-label=${say("page.deliveries.undelivered_messages")}>
    <h2>${say("page.deliveries.undelivered_messages")}</h2>
    <div id="outbox">
      ${list.length ? list.map(n => html`<${Delivery} key=${n.id} ...${n} refresh=${refresh} />`) : html`<p class="muted">${say("page.none")}</p>`}
    </div>
  </section>`;
}

function Delivery({id, route, state, error, text, refresh}) {
  const act = (label, verb) => html`<${Act} label=${label} describe=${`${label}: ${route.channel} ${route.chat}`} run=${async () => {
    await ask(`/api/outbox/${id}/${verb}`, {});
    refresh();
  }} />`;
  return html`<article class="task">
    <div class="row"><span class="title">${route.channel} ${route.chat}: ${stateWord(state)}</span>${act(say("page.send_again"), "retry")}${act(say("page.deliveries.dismiss"), "dismiss")}</div>
    <p class="muted">${error}</p><p class="result" dir="auto">${text}</p>
  </article>`;
}
