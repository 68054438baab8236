// One account of ours on a platform: how it is connected, and how to link it.

import {ask, display, moment} from "../api.js";
import {html, useMemo, useRef, useState} from "../ui.js";
import {say, sayWith} from "../words.js";
import {Act} from "./act.js";
import {connectionWord} from "./connection_word.js";

const path = c => `/api/channels/${encodeURIComponent(c.channel)}/${encodeURIComponent(c.account)}`;

export function Channel({channel: c}) {
  return html`<article class=${`card channel ${c.state.replace(" ", "-")}`} data-account=${`${c.channel}/${c.account}`}>
    <div class="row"><span class="title">${c.channel === "whatsapp" ? "WhatsApp" : display(c.channel)}, ${c.account}</span>
      <span class="mark">${connectionWord(c.state)}</span><span class="muted">${say("page.channel.agent", {name: display(c.agent)})}</span></div>
    ${c.detail && html`<p class="detail">${words(c.detail)}</p>`}
    ${c.advice && html`<p class="advice">${words(c.advice)}</p>`}
    ${c.link && html`<${Code} channel=${c} />`}
    ${c.link && c.channel === "whatsapp" && html`<${Number} channel=${c} />`}
    <p class="muted">${[c.since ? say("page.since_time", {time: moment(c.since)}) : "", c.owner ? say("page.channel.on_the_worker", {worker: c.owner}) : ""].filter(Boolean).join(", ")}</p>
  </article>`;
}

// words shows a text with its commands and addresses as such.
function words(text) {
  return (text.charAt(0).toUpperCase() + text.slice(1)).split(/(`[^`]+`|https:\/\/[^\s,]+)/).filter(Boolean).map(part =>
    part.startsWith("`") ? html`<code>${part.slice(1, -1)}</code>` : part.startsWith("https:") ? html`<a href=${part} rel="noreferrer">${part}</a>` : part);
}

// Code is what a phone scans; it is another one every so often.
function Code({channel: c}) {
  const changed = JSON.stringify(c);
  const at = useMemo(() => Date.now(), [changed]);
  return html`<figure class="qr">
    <img src=${`${path(c)}/qr?at=${at}`} alt=${say("page.channel.the_code_that_links", {account: c.account})} />
    <figcaption class="muted">${say("page.channel.scan_phone_settings_linked")}</figcaption>
  </figure>`;
}

// Number is the other way: a code for the phone with a number, to be typed there.
function Number({channel: c}) {
  const phone = useRef();
  const [code, setCode] = useState("");
  const get = async () => setCode((await ask(`${path(c)}/code`, {phone: phone.current.value})).code);
  return html`<div class="number">
    <div class="row"><span class="muted">${say("page.channel.or_phones_number")}</span>
      <input type="tel" placeholder="+49 171 1234567" autocomplete="tel" aria-label=${say("page.channel.phone_number_of", {account: c.account})} ref=${phone} />
      <${Act} label=${say("page.channel.get_a_code")} run=${get} /></div>
    ${code && html`<p class="muted">${sayWith("page.channel.phone_settings_linked_devices", {code: html`<code class="code">${code}</code>`})}</p>`}
  </div>`;
}
