// A no with its reason, which the agent is told.

import {html, useState} from "../ui.js";
import {say} from "../words.js";

export function WhyNot({about, busy, send}) {
  const [reason, setReason] = useState("");
  const submit = event => {
    event.preventDefault();
    if (reason.trim()) send({decline: true, text: reason});
  };
  return html`<details class="why-not"><summary>${say("page.why_not.no_because")}</summary>
    <form class="fields" onSubmit=${submit}>
      <input type="text" dir="auto" value=${reason} aria-label=${say("page.why_not.why_not", {question: about})} placeholder=${say("page.why_not.the_agent_is_told")} onInput=${event => setReason(event.target.value)} />
      <button class="small" type="submit" aria-disabled=${busy ? "true" : undefined}>${say("page.no_button")}</button>
    </form></details>`;
}
