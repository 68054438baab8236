// What comes up.

import type * as API from "../api_types";
import {ask, moment} from "../api";
import {say} from "../words";
import {Act} from "./act";
import {place} from "./session_list";

export function Reminders({list, refresh}: {list: API.Reminder[]; refresh: () => Promise<void>}) {
  return <section id="reminding" aria-labelledby="reminders-head">
    <h2 id="reminders-head">{say("page.reminders.reminders")}</h2>
    <div id="reminders" class="cards">
      {list.map(r => <article class="card" key={r.id}>
        <div class="row"><span class="title" dir="auto">{r.text}</span><span class="when muted">{r.next ? moment(r.next) : ""}</span></div>
        <div class="row muted"><span>{r.when}</span><span>{place(r.channel, r.chat)}</span><code>{r.id}</code>
          <Act end label={say("page.cancel")} describe={say("page.reminders.cancel", {what: r.text})} run={async () => {
            await ask(`/api/reminders/${r.id}`, undefined, "DELETE");
            await refresh();
          }} />
        </div>
      </article>)}
      {!list.length && <p class="muted">{say("page.reminders.none_ask_one_chat")}</p>}
    </div>
  </section>;
}
