// One MCP server: how it is, its tools, and the calls that brought no result. What the
// server says of itself is shown as text and nothing else.

import type * as API from "../api_types";
import {display, moment} from "../api";
import {roleName} from "../stores/account";
import {say, type Words} from "../words";
import {connectionWord} from "./connection_word";

const asks: Words = {always: () => say("page.mcp_server.asks_approval_every_time"), first: () => say("page.mcp_server.asks_approval_first_time"), never: () => ""};
const effects: Words = {read_only: () => say("page.mcp_server.read_only"), idempotent: () => say("page.mcp_server.may_be_repeated"), once: () => say("page.mcp_server.once")};

export function MCPServer({server: s}: {server: API.MCPServer}) {
  const elsewhere = s.state === "elsewhere";
  const state = elsewhere ? s.remote_state || "unknown" : s.state;
  return <article class={`card server ${state}`} data-server={s.name}>
    <div class="row"><span class="title">{s.name}</span>
      <span class="mark">{elsewhere ? say("page.mcp_server.at_another_worker", {state: connectionWord(state)}) : connectionWord(state)}</span>
      {s.says && <span class="muted" dir="auto">{s.says}</span>}</div>
    {s.reason && <p class="detail" dir="auto">{s.reason}</p>}
    {[s.blocked, ...s.unmatched ?? []].filter(text => text !== undefined && text !== "").map(text => <p class="detail unmatched" key={text} dir="auto">{say("page.mcp_server.warning", {text})}</p>)}
    {s.failures && s.failures.length > 0 && <details class="failures" open><summary>{say("page.mcp_server.calls_without_a_result")}</summary>
      <ul class="plain">{s.failures.map(f => <li key={`${f.at} ${f.tool} ${f.worker}`}><code>{f.tool}</code> {f.reason} <span class="muted">{moment(f.at)}</span></li>)}</ul></details>}
    {s.tools.length > 0 && <details class="tools"><summary>{s.tools.length === 1 ? say("page.mcp_server.one_tool") : say("page.mcp_server.tools", {n: s.tools.length})}</summary>
      <ul class="plain">{s.tools.map(t => <Tool key={t.name} tool={t} />)}</ul></details>}
    {s.left_out && s.left_out.length > 0 && <details class="left-out"><summary>{say("page.mcp_server.not_offered", {n: s.left_out.length})}</summary>
      <ul class="plain">{s.left_out.map(why => <li key={why} dir="auto">{why}</li>)}</ul></details>}
    <p class="muted">{[say("page.since_time", {time: moment(s.since)}), s.wire === "http" ? say("page.mcp_server.by_http") : say("page.mcp_server.a_started_program"), s.single ? say("page.mcp_server.one_worker_runs_it") : "",
      s.worker ? say("page.mcp_server.worker", {worker: s.worker}) : "", s.protocol ? `MCP ${s.protocol}` : ""].filter(Boolean).join(", ")}</p>
  </article>;
}

// Tool shows what a tool does and who may use it. note says how it runs.
export function Tool({tool: t, note}: {tool: API.MCPTool; note?: string}) {
  const rules = [effects[t.effect]?.() ?? t.effect, say("page.mcp_server.from", {role: roleName(t.role)}), asks[t.approval]?.() ?? t.approval,
    t.agents.length ? say("page.mcp_server.for", {agents: t.agents.map(name => display(name)).join(", ")}) : say("page.mcp_server.for_no_agent")];
  return <li><div class="row"><code>{t.name}</code><span dir="auto">{t.description}</span></div>
    {note && <p class="muted">{note}</p>}
    <p class="muted">{rules.filter(Boolean).join(", ")}</p></li>;
}
