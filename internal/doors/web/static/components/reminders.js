// What comes up.

import {ask, moment} from "../api.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";
import {place} from "./session_list.js";

export function Reminders({list, refresh}) {
  return html`<section id="reminding" aria-labelledby="reminders-head">
    <h2 id="reminders-head">${say("page.reminders.reminders")}</h2>
    <div id="reminders" class="cards">
      ${list.map(r => html`<article class="card" key=${r.id}>
        <div class="row"><span class="title" dir="auto">${r.text}</span><span class="when muted">${r.next ? moment(r.next) : ""}</span></div>
        <div class="row muted"><span>${r.when}</span><span>${place(r.channel, r.chat)}</span><code>${r.id}</code>
          <${Act} end label=${say("page.cancel")} describe=${say("page.reminders.cancel", {what: r.text})} run=${async () => {
            await ask(`/api/reminders/${r.id}`, undefined, "DELETE");
            await refresh();
          }} />
        </div>
      </article>`)}
      ${!list.length && html`<p class="muted">${say("page.reminders.none_ask_one_chat")}</p>`}
    </div>
  </section>`;
}
