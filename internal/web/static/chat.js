// The chat page. Which chat it is, is in the address: /?chat=NAME.

import {Announcer} from "./components/announcer.js";
import {Banners} from "./components/banners.js";
import {ChatBar} from "./components/chat_bar.js";
import {Composer} from "./components/composer.js";
import {Header} from "./components/header.js";
import {Log} from "./components/log.js";
import {ChatPlan} from "./components/plan.js";
import {Waiting} from "./components/waiting.js";
import {Conversation} from "./stores/conversation.js";
import {html, render} from "./ui.js";

const suggestions = ["ask Sasha to compare night trains to Oslo, in the background", "ask Finn to explain what a mutex is", "what is running?"];

const conversation = new Conversation(new URLSearchParams(location.search).get("chat") || "main");
if (conversation.chat !== "main") document.title = `errand: ${conversation.chat}`;

const send = (text, files) => conversation.send(text, files);

function Chat() {
  const empty = conversation.entries.value.length === 0;
  return html`
    <a class="skip" href="#text">Skip to the message box</a>
    <${Header} />
    <${Banners} agent=${conversation.agent.value?.name} />
    <${ChatBar} conversation=${conversation} />
    <main>
      <${Log} conversation=${conversation} send=${send} />
      ${empty && html`<section id="empty" aria-label="What to ask for">
        <p>You give an agent an errand. It comes back, to this chat, once.</p>
        <div class="suggestions">${suggestions.map(text => html`<button key=${text} type="button" onClick=${() => send(text)}>${text}</button>`)}</div>
      </section>`}
    </main>
    <footer>
      <${Waiting} conversation=${conversation} />
      <${ChatPlan} conversation=${conversation} />
      <p id="doing" class="doing">${conversation.doing}</p>
      <${Composer} conversation=${conversation} send=${send} />
    </footer>
    <${Announcer} />`;
}

render(html`<${Chat} />`, document.body);
conversation.begin();
