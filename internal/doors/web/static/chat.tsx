// The chat page. Which chat it is, is in the address: /?chat=NAME, or for one of another
// platform, which is only read here, /?session=ID.

import {Announcer} from "./components/announcer";
import {ChatBar} from "./components/chat_bar";
import {ChatSide, DrawerButton} from "./components/chat_drawer";
import {Composer} from "./components/composer";
import {Header} from "./components/header";
import {later} from "./components/later";
import {Log} from "./components/log";
import {prepareMarkdown} from "./markdown";
import {painted} from "./markdown/queue";
import {about} from "./stores/account";
import {Chats} from "./stores/chats";
import {Conversation, type Send} from "./stores/conversation";
import {titled, unseen} from "./stores/title";
import {prepareTimes} from "./times";
import {language, say} from "./words";
import {effect, render} from "./ui";

const Banners = later(() => import("./components/banners").then(module => module.Banners));
const ChatPlan = later(() => import("./components/plan").then(module => module.ChatPlan));
const NotifyOffer = later(() => import("./components/notify").then(module => module.NotifyOffer));
const ReadAlong = later(() => import("./components/read_along").then(module => module.ReadAlong));
const FilePreview = later(() => import("./components/preview").then(module => module.FilePreview));
const WorkPanel = later(() => import("./components/work").then(module => module.WorkPanel));
const Waiting = later(() => import("./components/waiting").then(module => module.Waiting));

// The demonstration understands English; a real model what its person speaks.
const inEnglish = ["ask Sasha to compare night trains to Oslo, in the background", "ask Finn to explain what a mutex is", "what is running?"];
const suggestions = () => about.value.demo ? inEnglish : [say("page.chat.ask_sasha_compare_night"), say("page.chat.ask_finn_explain_mutex"), say("page.chat.what_is_running")];

const patience = 300; // milliseconds

const address = new URLSearchParams(location.search), session = address.get("session");
const chats = new Chats({chat: address.get("chat") || "main", session});
const conversation = session ? null : new Conversation(address.get("chat") || "main", chats);

function Page() {
  return (
    <>
      <a class="skip" href={session ? "#reading" : "#text"}>{session ? say("page.chat.skip_to_the_chat") : say("page.chat.skip_message_box")}</a>
      <Header conversation={conversation} chats={chats} />
      <div class="columns">
        <ChatSide chats={chats} />
        <div class="talk">{conversation ? <Chat conversation={conversation} /> : <Reading session={session ?? ""} />}</div>
        {conversation && <WorkPanel conversation={conversation} chats={chats} />}
      </div>
      <FilePreview />
      <Announcer />
    </>
  );
}

function Reading({session}: {session: string}) {
  return (
    <>
      <section id="reading" class="bar" aria-label={say("page.this_chat")} tabindex={-1}><DrawerButton chats={chats} /><h1 class="chat-title" dir="auto">{chats.open.value?.title}</h1></section>
      <ReadAlong session={session} chats={chats} />
    </>
  );
}

function Chat({conversation}: {conversation: Conversation}) {
  const send: Send = (text, files) => conversation.send(text, files);
  const empty = conversation.entries.value.length === 0;
  return (
    <>
      <Banners agent={conversation.agent.value?.name} />
      <ChatBar conversation={conversation} chats={chats} />
      <main>
        <Log conversation={conversation} send={send} />
        {empty && <section id="empty" aria-label={say("page.chat.what_to_ask_for")}>
          <p>{say("page.chat.ask_anything_takes_while")}</p>
          <div class="suggestions">{suggestions().map(text => <button key={text} type="button" onClick={() => send(text)}>{text}</button>)}</div>
        </section>}
      </main>
      <footer>
        <Waiting conversation={conversation} />
        <ChatPlan conversation={conversation} />
        <NotifyOffer conversation={conversation} />
        {conversation.held.ids.value.size > 0 && <p id="held" class="muted" lang={language}>{say(conversation.held.ids.value.size === 1 ? "page.chat.one_message_waits_until" : "page.chat.messages_wait_until_agent", {n: conversation.held.ids.value.size})}</p>}
        <p id="doing" class="doing">{conversation.doing}</p>
        <Composer conversation={conversation} send={send} />
      </footer>
    </>
  );
}

effect(() => {
  const title = chats.open.value?.title;
  titled.value = `errand${title ? `: ${title}` : ""}`;
});
const begun = Promise.resolve(conversation ? conversation.begin() : chats.begin());
prepareTimes(); // while the answer is on its way
await painted(); // the head of the page is there before all that is below it is drawn
// A chat that errand has at hand is drawn once, as it is. For one that takes longer nobody
// waits with nothing to look at.
await Promise.race([begun, new Promise(resolve => setTimeout(resolve, patience))]);
render(<Page />, document.body);
await painted();
navigator.serviceWorker?.register("/sw.js").catch(error => console.warn("The page is not kept for when errand is away:", error));
import("./stores/news").then(({News}) => new News(chats, unseen)).catch(error => console.warn("Nothing tells what comes while nobody looks:", error));
// Not awaited: what is loaded later takes its parts from this script, once it has come to its end.
begun.then(prepareMarkdown).then(() => conversation?.drawRest());
