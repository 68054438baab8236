// What agents keep in mind about a person.

import type * as API from "../api_types";
import {ask, display, moment} from "../api";
import {say} from "../words";
import {Act} from "./act";

export function Notes({list, refresh}: {list: API.PersonNote[]; refresh: () => Promise<void>}) {
  return <section id="noted" aria-labelledby="notes-head">
    <h2 id="notes-head">{say("page.notes.agents_have_noted_about")}</h2>
    <div id="notes" class="cards">
      {list.map(n => <article class="card" key={`${n.agent}/${n.key}`}>
        <div class="row"><span class="title">{n.key}</span><span class="when muted">{display(n.agent)}, {moment(n.updated)}</span></div>
        <p class="excerpt" dir="auto">{n.value}</p>
        <div class="row muted">{n.expires && <span>{say("page.until", {time: moment(n.expires)})}</span>}
          <Act label={say("page.notes.forget")} describe={say("page.notes.forget_what", {what: n.key})} end run={async () => {
            await ask(`/api/memory/${encodeURIComponent(n.agent)}/${encodeURIComponent(n.key)}`, undefined, "DELETE");
            await refresh();
          }} />
        </div>
      </article>)}
      {!list.length && <p class="muted">{say("page.notes.none")}</p>}
    </div>
  </section>;
}
