// The page of tools: the MCP servers whose tools agents can call, and how they are.

import type * as API from "./api_types";
import {ask} from "./api";
import {Announcer} from "./components/announcer";
import {Header, SettingsSide} from "./components/header";
import {MCPServer} from "./components/mcp_server";
import {poll} from "./stores/poll";
import {render, signal} from "./ui";
import {say, sayWith} from "./words";

const servers = signal<API.MCPServer[] | null>(null); // null: not known yet

poll(async () => { servers.value = await ask<API.MCPServer[]>("/api/mcp"); }, 2000);

function ToolsPage() {
  const list = servers.value;
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page narrow">
        <h1>{say("page.tools.mcp_servers")}</h1>
        <div id="servers" class="cards">
          {list?.map(s => <MCPServer key={s.name} server={s} />)}
          {list?.length === 0 && <p class="muted">{sayWith("page.tools.there_no_mcp_servers", {setting: <code>mcp_servers</code>})}</p>}
        </div>
      </main>
      <Announcer />
    </>
  );
}

render(<ToolsPage />, document.body);
