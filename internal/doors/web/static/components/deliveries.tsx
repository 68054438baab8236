// Deliveries that a person has to decide about.

import type * as API from "../api_types";
import {ask} from "../api";
import {say} from "../words";
import {Act} from "./act";
import {stateWord} from "./state_word";

export function Deliveries({list, refresh}: {list: API.Notification[]; refresh: () => void}) {
  return <section id="deliveries" aria-label={say("page.deliveries.undelivered_messages")}>
    <h2>{say("page.deliveries.undelivered_messages")}</h2>
    <div id="outbox">
      {list.map(n => <Delivery key={n.id} delivery={n} refresh={refresh} />)}
    </div>
  </section>;
}

function Delivery({delivery: {id, route, state, error, text}, refresh}: {delivery: API.Notification; refresh: () => void}) {
  const act = (label: string, verb: string, end?: boolean) => <Act end={end} label={label} describe={`${label}: ${route.channel} ${route.chat}`} run={async () => {
    await ask(`/api/outbox/${id}/${verb}`, {});
    refresh();
  }} />;
  return <article class="card">
    <div class="row"><span class="title">{route.channel} {route.chat}: {stateWord(state)}</span>{act(say("page.send_again"), "retry", true)}{act(say("page.deliveries.dismiss"), "dismiss")}</div>
    <p class="muted">{error}</p><p class="result" dir="auto">{text}</p>
  </article>;
}
