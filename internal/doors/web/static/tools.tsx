// The page of tools: errand's own tools by purpose, and those of MCP servers.

import type * as API from "./api_types";
import {ask} from "./api";
import {Announcer} from "./components/announcer";
import {Header, SettingsSide} from "./components/header";
import {MCPServer, Tool} from "./components/mcp_server";
import {about} from "./stores/account";
import {poll} from "./stores/poll";
import {render, signal} from "./ui";
import {say, sayWith} from "./words";

const servers = signal<API.MCPServer[] | null>(null); // null: not known yet

poll(async () => { servers.value = await ask<API.MCPServer[]>("/api/mcp?built_in=true"); }, 2000);

// A tool is in the first group whose pattern its name matches.
const groups: [key: string, name: () => string, tools: RegExp][] = [
  ["web", () => say("page.tools.web"), /^web_/],
  ["code", () => say("page.tools.code"), /^run_code$/],
  ["files", () => say("page.tools.files"), /file|artifact/],
  ["reminders", () => say("page.reminders.reminders"), /remind/],
  ["memory", () => say("page.tools.memory"), /memory|^remember$|^recall$/],
  ["delegation", () => say("page.tools.delegation"), /agent|task|team|consult|verdict/],
  ["other", () => say("page.tools.other"), /./],
];

const groupOf = (tool: API.MCPTool) => groups.find(([,, tools]) => tools.test(tool.name))?.[0];

function ToolsPage() {
  const own = servers.value?.find(s => s.wire === "built_in"), others = servers.value?.filter(s => s !== own);
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page narrow">
        <h1>{say("page.header.tools")}</h1>
        <p class="muted">{sayWith("page.tools.change", {tools: <code>tools</code>, rights: <code>rights.tools</code>, approvals: <code>approvals</code>})}</p>
        {own && <BuiltIn tools={own.tools} />}
        <h2>{say("page.tools.mcp_servers")}</h2>
        <div id="servers" class="cards">
          {others?.map(s => <MCPServer key={s.name} server={s} />)}
          {others?.length === 0 && <p class="muted">{sayWith("page.tools.there_no_mcp_servers", {setting: <code>mcp_servers</code>})}</p>}
        </div>
      </main>
      <Announcer />
    </>
  );
}

function BuiltIn({tools}: {tools: API.MCPTool[]}) {
  return <>{groups.map(([key, name]) => ({key, name, list: tools.filter(t => groupOf(t) === key)})).filter(({list}) => list.length > 0).map(({key, name, list}) =>
    <section key={key} class="tool-group" data-tools={key}><h2>{name()}</h2>
      <ul class="plain">{list.map(t => <Tool key={t.name} tool={{...t, description: say(`page.tool.${t.name}`)}} note={t.name === "run_code" ? say("page.tools.sandbox", {sandbox: about.value.programs ?? ""}) : undefined} />)}</ul></section>)}</>;
}

render(<ToolsPage />, document.body);
