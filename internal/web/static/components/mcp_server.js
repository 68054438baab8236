// One MCP server: how it is, its tools, and the calls that brought no result. What the
// server says of itself is shown as text and nothing else.

import {display, moment} from "../api.js";
import {roleName} from "../stores/account.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {connectionWord} from "./connection_word.js";

const asks = {always: () => say("asks for approval every time"), first: () => say("asks for approval the first time"), never: () => say("never asks for approval")};
const effects = {read_only: () => say("read only"), idempotent: () => say("may be repeated"), once: () => say("once")};

export function MCPServer({server: s}) {
  const elsewhere = s.state === "elsewhere";
  const state = elsewhere ? s.remote_state || "unknown" : s.state;
  return html`<article class=${`card server ${state}`} data-server=${s.name}>
    <div class="row"><span class="title">${s.name}</span>
      <span class="mark">${elsewhere ? say("{state}, at another worker", {state: connectionWord(state)}) : connectionWord(state)}</span>
      ${s.says && html`<span class="muted" dir="auto">${s.says}</span>`}</div>
    ${s.reason && html`<p class="detail" dir="auto">${s.reason}</p>`}
    ${[s.blocked, ...s.unmatched ?? []].filter(Boolean).map(text => html`<p class="detail unmatched" key=${text} dir="auto">${say("Warning: {text}", {text})}</p>`)}
    ${s.failures?.length > 0 && html`<details class="failures" open><summary>${say("Calls without a result")}</summary>
      <ul class="plain">${s.failures.map(f => html`<li key=${`${f.at} ${f.tool} ${f.worker}`}><code>${f.tool}</code> ${f.reason} <span class="muted">${moment(f.at)}</span></li>`)}</ul></details>`}
    ${s.tools.length > 0 && html`<details class="tools"><summary>${s.tools.length === 1 ? say("1 tool") : say("{n} tools", {n: s.tools.length})}</summary>
      <ul class="plain">${s.tools.map(t => html`<${Tool} key=${t.name} tool=${t} />`)}</ul></details>`}
    ${s.left_out?.length > 0 && html`<details class="left-out"><summary>${say("Not offered: {n}", {n: s.left_out.length})}</summary>
      <ul class="plain">${s.left_out.map(why => html`<li key=${why} dir="auto">${why}</li>`)}</ul></details>`}
    <p class="muted">${[say("since {time}", {time: moment(s.since)}), s.wire === "http" ? say("by HTTP") : say("a started program"), s.single ? say("one worker runs it") : "",
      s.worker ? say("worker {worker}", {worker: s.worker}) : "", s.protocol ? `MCP ${s.protocol}` : ""].filter(Boolean).join(", ")}</p>
  </article>`;
}

function Tool({tool: t}) {
  return html`<li><div class="row"><code>${t.name}</code><span class="muted">${effects[t.effect]?.() ?? t.effect}, ${say("from {role}", {role: roleName(t.role)})}, ${asks[t.approval]?.() ?? t.approval}, ${
    t.agents.length ? say("for {agents}", {agents: t.agents.map(display).join(", ")}) : say("for no agent")}</span></div>
    ${t.description && html`<p class="muted" dir="auto">${t.description}</p>`}</li>`;
}
