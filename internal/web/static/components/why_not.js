// A no with its reason, which the agent is told.

import {html, useState} from "../ui.js";

export function WhyNot({about, busy, say}) {
  const [reason, setReason] = useState("");
  const submit = event => {
    event.preventDefault();
    if (reason.trim()) say({decline: true, text: reason});
  };
  return html`<details class="why-not"><summary>No, because…</summary>
    <form class="fields" onSubmit=${submit}>
      <input type="text" dir="auto" value=${reason} aria-label=${`Why not: ${about}`} placeholder="the agent is told" onInput=${event => setReason(event.target.value)} />
      <button class="small" type="submit" aria-disabled=${busy ? "true" : undefined}>No</button>
    </form></details>`;
}
