// Who was turned away.

import type * as API from "../api_types";
import {moment} from "../api";
import {say} from "../words";
import {on} from "./pairings";

export function Refusals({list}: {list: API.Refusal[]}) {
  return <div id="refusals">{list.length ? <ul class="plain">{list.map(r => <li class="row" key={`${on(r)} ${r.external_id}`}>
    <span>{on(r)} {r.external_id}</span>{r.name && <span>{r.name}</span>}
    <span class="muted">{r.reason}; {r.times === 1 ? say("page.refusals.once_at", {time: moment(r.last)}) : say("page.refusals.times_the_last_at", {n: r.times, time: moment(r.last)})}</span>
  </li>)}</ul> : <p class="muted">{say("page.refusals.nobody")}</p>}</div>;
}
