// What was done, a line for each.

import {moment} from "../api.js";
import {roleName} from "../stores/account.js";
import {nameOf} from "../stores/names.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";

// What a deed is in words: {to} is what it was done to, {detail} and {whose} say more.
const words = {
  "people.role": v => say("made {to} a {detail}", v),
  "people.change": v => say("changed the {detail} of {to}", v),
  "people.remove": v => say("removed {to}", v),
  "identities.add": v => say("said that {to} is {whose}", v),
  "identities.remove": v => say("said that {to} is not {whose}", v),
  "tokens.make": v => say("made the token {to} ({detail}) for {whose}", v),
  "tokens.revoke": v => say("revoked the token {to} ({detail}) of {whose}", v),
  "webhooks.secret": v => say("drew a webhook secret for {to}", v),
  "pairings.approve": v => say("approved {whose}, by the code {to}", v),
  "pairings.deny": v => say("denied the code {to}", v),
  "questions.answer": v => say("answered the question {to}", v),
  "questions.decline": v => say("declined to answer the question {to}", v),
  "approvals.approve": v => say("approved {to} ({detail})", v),
  "approvals.decline": v => say("declined {to}", v),
  "approvals.withdraw": v => say("withdrew the open approvals of the session {to}", v),
  "tasks.cancel": v => say("canceled the task {to} of {whose}", v),
  "sessions.stop": v => say("stopped the turn in the session {to}", v),
  "sessions.delete": v => say("deleted the session {to} of {whose}", v),
  "notes.forget": v => say("deleted a note of {detail} about {whose}", v),
  "deliveries.retry": v => say("had the delivery {to} tried again", v),
  "deliveries.dismiss": v => say("dismissed the delivery {to}", v),
  "installation.pause": v => say("paused the installation", v),
  "installation.resume": v => say("resumed the installation", v),
};

const doors = {page: () => say("on the page"), cli: () => say("by the command line"), api: () => say("by the API"), mcp: () => say("over MCP"),
  a2a: () => say("over A2A"), openai: () => say("over the OpenAI API"), agent: () => say("by a tool")};

export function AuditList({audit}) {
  const list = audit.list.value;
  if (!list) return null;
  if (!list.length) return html`<p id="audit" class="muted">${say("Nothing was found.")}</p>`;
  return html`
    <ul id="audit" class="plain">${list.map(e => html`<li class="row" key=${e.id}>
      <span>${e.name || e.person} ${told(e, audit)}</span>
      <span class="muted">${[moment(e.time), e.door && (doors[e.door]?.() ?? say("on {channel}", {channel: e.door})), e.via && say("with {name}", {name: e.via_name || e.via})].filter(Boolean).join(", ")}</span>
    </li>`)}</ul>
    ${audit.more.value && html`<${Act} label=${say("Older")} run=${() => audit.older()} />`}`;
}

function told(e, audit) {
  const to = e.kind === "person" ? nameOf(e.subject) : e.subject;
  const detail = e.deed === "people.role" ? roleName(e.detail) : (e.detail ?? "").replaceAll("_", " "), whose = e.whose ? nameOf(e.whose) : say("several people");
  return words[e.deed]?.({to, detail, whose}) ?? `${e.deed} ${to}`;
}
