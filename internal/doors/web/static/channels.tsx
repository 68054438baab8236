// The page of channels: our accounts on platforms, and how they are connected.

import type * as API from "./api_types";
import {ask} from "./api";
import {Announcer} from "./components/announcer";
import {Channel} from "./components/channel";
import {Header, SettingsSide} from "./components/header";
import {poll} from "./stores/poll";
import {render, signal} from "./ui";
import {say, sayWith} from "./words";

const channels = signal<API.ConnectionView[] | null>(null); // null: not known yet

poll(async () => { channels.value = await ask<API.ConnectionView[]>("/api/channels"); }, 2000);

function ChannelsPage() {
  const list = channels.value;
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page narrow">
        <h1>{say("page.channels")}</h1>
        <div id="channels" class="cards">
          {list?.map(c => <Channel key={`${c.channel}/${c.account}`} channel={c} />)}
          {list?.length === 0 && <p class="muted">{sayWith("page.channels.there_no_accounts_platforms", {command: <code>errand channels add telegram</code>})}</p>}
        </div>
      </main>
      <Announcer />
    </>
  );
}

render(<ChannelsPage />, document.body);
