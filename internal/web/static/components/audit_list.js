// What was done, a line for each.

import {moment} from "../api.js";
import {html} from "../ui.js";
import {Act} from "./act.js";

// What a deed is in words: to what, and with its detail.
const words = {
  "people.role": (to, detail) => html`made ${to} a ${detail}`,
  "people.change": (to, detail) => html`changed the ${detail.replaceAll("_", " ")} of ${to}`,
  "people.remove": to => html`removed ${to}`,
  "identities.add": (to, _, whose) => html`said that ${to} is ${whose}`,
  "identities.remove": (to, _, whose) => html`said that ${to} is not ${whose}`,
  "tokens.make": (to, detail, whose) => html`made ${detail === "api" ? "a token" : `a ${detail}`}, ${to}, for ${whose}`,
  "tokens.revoke": (to, detail, whose) => html`revoked ${detail === "api" ? "a token" : `a ${detail}`}, ${to}, of ${whose}`,
  "webhooks.secret": to => html`had a webhook secret drawn for ${to}`,
  "pairings.approve": (to, _, whose) => html`let ${whose} in, by the code ${to}`,
  "pairings.deny": to => html`did not let in who has the code ${to}`,
  "questions.answer": to => html`answered the question ${to}`,
  "questions.decline": to => html`did not want to answer the question ${to}`,
  "approvals.approve": (to, detail) => html`approved ${to} (${detail})`,
  "approvals.decline": to => html`declined ${to}`,
  "approvals.withdraw": to => html`withdrew what waited for a yes in the session ${to}`,
  "tasks.cancel": (to, _, whose) => html`canceled the task ${to} of ${whose}`,
  "sessions.stop": to => html`stopped the turn in the session ${to}`,
  "sessions.delete": (to, _, whose) => html`deleted the session ${to} of ${whose}`,
  "notes.forget": (_, detail, whose) => html`had a note of ${detail} about ${whose} forgotten`,
  "deliveries.retry": to => html`had the delivery ${to} tried again`,
  "deliveries.dismiss": to => html`gave the delivery ${to} up`,
  "installation.pause": () => "paused the installation",
  "installation.resume": () => "let the installation go on",
};

const doors = {page: "on the page", cli: "by the command line", api: "by the API", mcp: "over MCP", a2a: "over A2A", openai: "over the OpenAI API", agent: "by a tool"};

export function AuditList({audit}) {
  const list = audit.list.value;
  if (!list) return null;
  if (!list.length) return html`<p id="audit" class="muted">Nothing of the kind.</p>`;
  return html`
    <ul id="audit" class="plain">${list.map(e => html`<li class="row" key=${e.id}>
      <span>${e.name || e.person} ${told(e, audit)}</span>
      <span class="muted">${[moment(e.time), e.door && (doors[e.door] ?? `on ${e.door}`), e.via && `through ${e.via_name || e.via}`].filter(Boolean).join(", ")}</span>
    </li>`)}</ul>
    ${audit.more.value && html`<${Act} label="Older" run=${() => audit.older()} />`}`;
}

function told(e, audit) {
  const to = e.kind === "person" ? audit.called(e.subject) : e.subject;
  const tell = words[e.deed] ?? (() => `${e.deed} ${to}`);
  return tell(to, e.detail ?? "", e.whose ? audit.called(e.whose) : "several people");
}
