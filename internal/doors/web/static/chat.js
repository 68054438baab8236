// The chat page. Which chat it is, is in the address: /?chat=NAME, or for one of another
// platform, which is only read here, /?session=ID.

import {Announcer} from "./components/announcer.js";
import {ChatBar} from "./components/chat_bar.js";
import {ChatSide, DrawerButton} from "./components/chat_drawer.js";
import {Composer} from "./components/composer.js";
import {Header} from "./components/header.js";
import {later} from "./components/later.js";
import {Log} from "./components/log.js";
import {prepareMarkdown} from "./markdown.js";
import {painted} from "./markdown/queue.js";
import {about} from "./stores/account.js";
import {Chats} from "./stores/chats.js";
import {Conversation} from "./stores/conversation.js";
import {prepareTimes} from "./times.js";
import {language, say} from "./words.js";
import {effect, html, render, signal} from "./ui.js";

const Banners = later(() => import("./components/banners.js"), "Banners");
const ChatPlan = later(() => import("./components/plan.js"), "ChatPlan");
const ChatSearch = later(() => import("./components/chat_search.js"), "ChatSearch");
const NotifyOffer = later(() => import("./components/notify.js"), "NotifyOffer");
const Settings = later(() => import("./components/settings.js"), "Settings");
const ReadAlong = later(() => import("./components/read_along.js"), "ReadAlong");
const Waiting = later(() => import("./components/waiting.js"), "Waiting");

// The demonstration understands English; a real model what its person speaks.
const inEnglish = ["ask Sasha to compare night trains to Oslo, in the background", "ask Finn to explain what a mutex is", "what is running?"];
const suggestions = () => about.value.demo ? inEnglish : [say("page.chat.ask_sasha_compare_night"), say("page.chat.ask_finn_explain_mutex"), say("page.chat.what_is_running")];

const patience = 300; // milliseconds

const address = new URLSearchParams(location.search), session = address.get("session");
const chats = new Chats({chat: address.get("chat") || "main", session});
const unseen = signal(0); // what came while nobody looked
const conversation = session ? null : new Conversation(address.get("chat") || "main", chats);

const send = (text, files) => conversation.send(text, files);

function Page() {
  return html`
    <a class="skip" href=${session ? "#reading" : "#text"}>${session ? say("page.chat.skip_to_the_chat") : say("page.chat.skip_message_box")}</a>
    <${Header} />
    <div class="columns">
      <${ChatSide} chats=${chats} />
      <div class="talk">${session ? html`<${Reading} />` : html`<${Chat} />`}</div>
    </div>
    ${chats.searching.value && html`<${ChatSearch} chats=${chats} />`}
    <${Settings} conversation=${conversation} />
    <${Announcer} />`;
}

function Reading() {
  return html`
    <section id="reading" class="bar" aria-label=${say("page.this_chat")} tabindex="-1"><${DrawerButton} chats=${chats} /><span class="chat-title" dir="auto">${chats.open.value?.title}</span></section>
    <${ReadAlong} session=${session} chats=${chats} />`;
}

function Chat() {
  const empty = conversation.entries.value.length === 0;
  return html`
    <${Banners} agent=${conversation.agent.value?.name} />
    <${ChatBar} conversation=${conversation} chats=${chats} />
    <main>
      <${Log} conversation=${conversation} send=${send} />
      ${empty && html`<section id="empty" aria-label=${say("page.chat.what_to_ask_for")}>
        <p>${say("page.chat.ask_anything_takes_while")}</p>
        <div class="suggestions">${suggestions().map(text => html`<button key=${text} type="button" onClick=${() => send(text)}>${text}</button>`)}</div>
      </section>`}
    </main>
    <footer>
      <${Waiting} conversation=${conversation} />
      <${ChatPlan} conversation=${conversation} />
      <${NotifyOffer} conversation=${conversation} />
      ${conversation.held.ids.value.size > 0 && html`<p id="held" class="muted" lang=${language}>${say(conversation.held.ids.value.size === 1 ? "page.chat.one_message_waits_until" : "page.chat.messages_wait_until_agent", {n: conversation.held.ids.value.size})}</p>`}
      <p id="doing" class="doing">${conversation.doing}</p>
      <${Composer} conversation=${conversation} send=${send} />
    </footer>`;
}

document.addEventListener("keydown", event => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault(); // some browsers have a search there, too
  chats.searching.value = true;
});
effect(() => {
  const title = chats.open.value?.title;
  document.title = `${unseen.value ? `(${unseen}) ` : ""}errand${title ? `: ${title}` : ""}`;
});
const begun = Promise.resolve(conversation ? conversation.begin() : chats.begin());
prepareTimes(); // while the answer is on its way
await painted(); // the head of the page is there before all that is below it is drawn
// A chat that errand has at hand is drawn once, as it is. For one that takes longer nobody
// waits with nothing to look at.
await Promise.race([begun, new Promise(resolve => setTimeout(resolve, patience))]);
render(html`<${Page} />`, document.body);
await painted();
navigator.serviceWorker?.register("/sw.js").catch(error => console.warn("The page is not kept for when errand is away:", error));
import("./stores/news.js").then(({News}) => new News(chats, unseen)).catch(error => console.warn("Nothing tells what comes while nobody looks:", error));
// Not awaited: what is loaded later takes its parts from this script, once it has come to its end.
begun.then(prepareMarkdown).then(() => conversation?.drawRest());
