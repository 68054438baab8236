// Who was turned away.

import {moment} from "../api.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {on} from "./pairings.js";

export function Refusals({list}) {
  return html`<div id="refusals">${list.length ? html`<ul class="plain">${list.map(r => html`<li class="row" key=${`${on(r)} ${r.external_id}`}>
    <span>${on(r)} ${r.external_id}</span>${r.name && html`<span>${r.name}</span>`}
    <span class="muted">${r.reason}; ${r.times === 1 ? say("page.refusals.once_at", {time: moment(r.last)}) : say("page.refusals.times_the_last_at", {n: r.times, time: moment(r.last)})}</span>
  </li>`)}</ul>` : html`<p class="muted">${say("page.refusals.nobody")}</p>`}</div>`;
}
