// The page of tools: the MCP servers whose tools agents can call, and how they are.

import {ask} from "./api.js";
import {Announcer} from "./components/announcer.js";
import {Header} from "./components/header.js";
import {MCPServer} from "./components/mcp_server.js";
import {poll} from "./stores/poll.js";
import {html, render, signal} from "./ui.js";
import {say, sayWith} from "./words.js";

const servers = signal(null); // null: not known yet

poll(async () => { servers.value = await ask("/api/mcp"); }, 2000);

function ToolsPage() {
  const list = servers.value;
  return html`
    <${Header} />
    <main class="page">
      <h2>${say("page.tools.mcp_servers")}</h2>
      <div id="servers" class="cards">
        ${list?.map(s => html`<${MCPServer} key=${s.name} server=${s} />`)}
        ${list?.length === 0 && html`<p class="muted">${sayWith("page.tools.there_no_mcp_servers", {setting: html`<code>mcp_servers</code>`})}</p>`}
      </div>
    </main>
    <${Announcer} />`;
}

render(html`<${ToolsPage} />`, document.body);
