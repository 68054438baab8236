// One account of ours on a platform: how it is connected, and how to link it.

import type * as API from "../api_types";
import {ask, display, moment} from "../api";
import {useMemo, useRef, useState} from "../ui";
import {say, sayWith} from "../words";
import {Act} from "./act";
import {connectionWord} from "./connection_word";

const path = (c: API.ConnectionView) => `/api/channels/${encodeURIComponent(c.channel)}/${encodeURIComponent(c.account)}`;

export function Channel({channel: c}: {channel: API.ConnectionView}) {
  return <article class={`card channel ${c.state.replace(" ", "-")}`} data-account={`${c.channel}/${c.account}`}>
    <div class="row"><span class="title">{c.channel === "whatsapp" ? "WhatsApp" : display(c.channel)}, {c.account}</span>
      <span class="mark">{connectionWord(c.state)}</span><span class="muted">{say("page.channel.agent", {name: display(c.agent)})}</span></div>
    {c.detail && <p class="detail">{words(c.detail)}</p>}
    {c.advice && <p class="advice">{words(c.advice)}</p>}
    {c.link && <Code channel={c} />}
    {c.link && c.channel === "whatsapp" && <Number channel={c} />}
    <p class="muted">{[c.since ? say("page.since_time", {time: moment(c.since)}) : "", c.owner ? say("page.channel.on_the_worker", {worker: c.owner}) : ""].filter(Boolean).join(", ")}</p>
  </article>;
}

// words shows a text with its commands and addresses as such.
function words(text: string) {
  return (text.charAt(0).toUpperCase() + text.slice(1)).split(/(`[^`]+`|https:\/\/[^\s,]+)/).filter(Boolean).map(part =>
    part.startsWith("`") ? <code>{part.slice(1, -1)}</code> : part.startsWith("https:") ? <a href={part} rel="noreferrer">{part}</a> : part);
}

// Code is what a phone scans; it is another one every so often.
function Code({channel: c}: {channel: API.ConnectionView}) {
  const changed = JSON.stringify(c);
  const at = useMemo(() => Date.now(), [changed]);
  return <figure class="qr">
    <img src={`${path(c)}/qr?at=${at}`} alt={say("page.channel.the_code_that_links", {account: c.account})} />
    <figcaption class="muted">{say("page.channel.scan_phone_settings_linked")}</figcaption>
  </figure>;
}

// Number is the other way: a code for the phone with a number, to be typed there.
function Number({channel: c}: {channel: API.ConnectionView}) {
  const phone = useRef<HTMLInputElement>(null!);
  const [code, setCode] = useState("");
  const get = async () => setCode((await ask<API.CodeOut>(`${path(c)}/code`, {phone: phone.current.value})).code);
  return <div class="number">
    <div class="row"><span class="muted">{say("page.channel.or_phones_number")}</span>
      <input type="tel" placeholder="+49 171 1234567" autocomplete="tel" aria-label={say("page.channel.phone_number_of", {account: c.account})} ref={phone} />
      <Act label={say("page.channel.get_a_code")} run={get} /></div>
    {code && <p class="muted">{sayWith("page.channel.phone_settings_linked_devices", {code: <code class="code">{code}</code>})}</p>}
  </div>;
}
