// A no with its reason, which the agent is told.

import {html, useState} from "../ui.js";
import {say} from "../words.js";

export function WhyNot({about, busy, send}) {
  const [reason, setReason] = useState("");
  const submit = event => {
    event.preventDefault();
    if (reason.trim()) send({decline: true, text: reason});
  };
  return html`<details class="why-not"><summary>${say("No, because…")}</summary>
    <form class="fields" onSubmit=${submit}>
      <input type="text" dir="auto" value=${reason} aria-label=${say("Why not: {question}", {question: about})} placeholder=${say("the agent is told")} onInput=${event => setReason(event.target.value)} />
      <button class="small" type="submit" aria-disabled=${busy ? "true" : undefined}>${say("No")}</button>
    </form></details>`;
}
