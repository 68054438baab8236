// The page of channels: our accounts on platforms, and how they are connected.

import type * as API from "./api_types";
import {ask} from "./api";
import {Announcer} from "./components/announcer";
import {Channel} from "./components/channel";
import {Header, SettingsSide} from "./components/header";
import {poll} from "./stores/poll";
import {type ComponentChildren, render, signal} from "./ui";
import {say, sayWith} from "./words";

const channels = signal<API.ConnectionView[] | null>(null); // null: not known yet

poll(async () => { channels.value = await ask<API.ConnectionView[]>("/api/channels"); }, 2000);

// create says how to get an account on the platform.
interface Platform {
  channel: string;
  name: string;
  create: () => ComponentChildren;
}

const platforms: Platform[] = [
  {channel: "telegram", name: "Telegram", create: () => sayWith("page.channels.create_telegram", {place: <a href="https://t.me/BotFather" rel="noreferrer">BotFather</a>, word: <code>/newbot</code>})},
  {channel: "discord", name: "Discord", create: () => sayWith("page.channels.create_discord", {place: <a href="https://discord.com/developers/applications" rel="noreferrer">Discord</a>, intent: <i>Message Content Intent</i>})},
  {channel: "whatsapp", name: "WhatsApp", create: () => say("page.channels.create_whatsapp")},
];

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
          {list?.length === 0 && <p class="muted">{say("page.channels.no_accounts")}</p>}
        </div>
        {list && <><h2>{say("page.channels.connect_platform")}</h2>
          <ul id="platforms" class="plain">
            {platforms.map(p => <Connect key={p.channel} platform={p} more={list.some(c => c.channel === p.channel)} />)}
            <li><b>{say("page.channels.this_page")}</b> <span class="muted">{sayWith("page.channels.web_and_api", {people: <a href="/people">{say("page.people")}</a>, tokens: <a href="/tokens">{say("page.header.tokens")}</a>, api: <code>{`${location.origin}/v1`}</code>})}</span></li>
          </ul></>}
      </main>
      <Announcer />
    </>
  );
}

// Connect lists the steps that connect an account. more: one is connected already.
function Connect({platform: {channel, name, create}, more}: {platform: Platform; more: boolean}) {
  return <li data-platform={channel}><details><summary><b>{name}</b> <span class="button small">{say(more ? "page.channels.connect_another" : "page.channels.connect")}</span></summary>
    <ol>
      <li>{create()}</li>
      <li>{sayWith("page.channels.run", {command: <code>errand channels add {channel}{more ? " --account NAME" : ""}</code>})}</li>
      <li>{say(channel === "whatsapp" ? "page.channels.restart_and_scan" : "page.channels.restart")}</li>
    </ol></details></li>;
}

render(<ChannelsPage />, document.body);
