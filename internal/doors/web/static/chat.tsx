// The chat page. Which chat it is, is in the address: /?chat=NAME, or for one of another
// platform, which is only read here, /?session=ID.

import {Announcer} from "./components/announcer";
import {ChatBar} from "./components/chat_bar";
import {ChatSide, DrawerButton} from "./components/chat_drawer";
import {Composer} from "./components/composer";
import {Dialog} from "./components/dialog";
import {Header} from "./components/header";
import {Ideas} from "./components/ideas";
import {later} from "./components/later";
import {Log} from "./components/log";
import {Queue} from "./components/queue";
import {SpentToday} from "./components/today";
import {prepareMarkdown} from "./markdown";
import {painted} from "./markdown/queue";
import {trouble} from "./stores/account";
import {Chats} from "./stores/chats";
import {Conversation, type Send} from "./stores/conversation";
import {titled, unseen} from "./stores/title";
import {prepareTimes} from "./times";
import {say} from "./words";
import {effect, render} from "./ui";

const Banners = later(() => import("./components/banners").then(module => module.Banners));
const ChatPlan = later(() => import("./components/plan").then(module => module.ChatPlan));
const NotifyOffer = later(() => import("./components/notify").then(module => module.NotifyOffer));
const ReadAlong = later(() => import("./components/read_along").then(module => module.ReadAlong));
const FilePreview = later(() => import("./components/preview").then(module => module.FilePreview));
const WorkPanel = later(() => import("./components/work").then(module => module.WorkPanel));
const Waiting = later(() => import("./components/waiting").then(module => module.Waiting));

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
      <Dialog />
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
      <ChatBar conversation={conversation} chats={chats} />
      <Banners agent={conversation.agent.value?.name} />
      <main>
        <Log conversation={conversation} send={send} />
        {empty && <Ideas agents={conversation.agents.value} active={conversation.agent.value} send={send} />}
      </main>
      <footer>
        <Waiting conversation={conversation} />
        <ChatPlan conversation={conversation} />
        <NotifyOffer conversation={conversation} />
        <Queue conversation={conversation} />
        <Composer conversation={conversation} send={send} />
        <div class="foot"><p id="doing" class="doing">{conversation.doing}</p>{trouble.value && <span><span class="lost">{trouble.value} </span>{say("page.chat.go_on_writing")}</span>}<SpentToday /></div>
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
