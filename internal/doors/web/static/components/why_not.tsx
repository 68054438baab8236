// A no with its reason, which the agent is told.

import type {Given} from "../stores/questions";
import {useState} from "../ui";
import {say} from "../words";

export function WhyNot({about, busy, send}: {about: string; busy: boolean; send: (given: Given) => void}) {
  const [reason, setReason] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (reason.trim()) send({decline: true, text: reason});
  };
  return <details class="why-not"><summary>{say("page.why_not.no_because")}</summary>
    <form class="fields" onSubmit={submit}>
      <input type="text" dir="auto" value={reason} aria-label={say("page.why_not.why_not", {question: about})} placeholder={say("page.why_not.the_agent_is_told")} onInput={event => setReason(event.currentTarget.value)} />
      <button class="small" type="submit" aria-disabled={busy ? "true" : undefined}>{say("page.why_not.decline")}</button>
    </form></details>;
}
