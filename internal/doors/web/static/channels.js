// The page of channels: our accounts on platforms, and how they are connected.

import {ask} from "./api.js";
import {Announcer} from "./components/announcer.js";
import {Channel} from "./components/channel.js";
import {Header} from "./components/header.js";
import {poll} from "./stores/poll.js";
import {html, render, signal} from "./ui.js";
import {say, sayWith} from "./words.js";

const channels = signal(null); // null: not known yet

poll(async () => { channels.value = await ask("/api/channels"); }, 2000);

function ChannelsPage() {
  const list = channels.value;
  return html`
    <${Header} />
    <main class="page">
      <h2>${say("page.channels")}</h2>
      <div id="channels" class="cards">
        ${list?.map(c => html`<${Channel} key=${`${c.channel}/${c.account}`} channel=${c} />`)}
        ${list?.length === 0 && html`<p class="muted">${sayWith("page.channels.there_no_accounts_platforms", {command: html`<code>errand channels add telegram</code>`})}</p>`}
      </div>
    </main>
    <${Announcer} />`;
}

render(html`<${ChannelsPage} />`, document.body);
