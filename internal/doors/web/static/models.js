// The page of models: what is known about each, and a button that tries it.

import {ask, moment} from "./api.js";
import {Act} from "./components/act.js";
import {Announcer} from "./components/announcer.js";
import {Header} from "./components/header.js";
import {number} from "./numbers.js";
import {about} from "./stores/account.js";
import {poll} from "./stores/poll.js";
import {html, render} from "./ui.js";
import {say} from "./words.js";

poll(look, 10000);

async function look() { about.value = await ask("/api/about"); }

async function tryOut(model) {
  await ask(`/api/models/check?model=${encodeURIComponent(model)}`, {});
  await look();
}

function ModelsPage() {
  const {models = []} = about.value;
  return html`
    <${Header} />
    <main class="page">
      <h2>${say("page.header.models")}</h2>
      <div id="models" class="cards">${models.map(m => html`<${Model} key=${m.model} ...${m} />`)}</div>
    </main>
    <${Announcer} />`;
}

function Model({model, name, provider, vision, context_tokens: room, price, ok, says, checked}) {
  return html`<article class=${`card model ${ok ? "ok" : "down"}`} data-model=${model}>
    <div class="row"><span class="title">${name || model}</span><span class="muted">${model}</span>
      <${Act} label=${say("page.models.try")} run=${() => tryOut(model)} describe=${say("page.models.try_model", {model})} end=${true} /></div>
    <p class="detail" dir="auto">${says}${checked && html` <span class="muted">${moment(checked)}</span>`}</p>
    <p class="muted">${[provider, vision ? say("page.models.sees_pictures") : say("page.models.no_pictures"), room && say("page.models.context", {n: number(room)}), price].filter(Boolean).join(", ")}</p>
  </article>`;
}

render(html`<${ModelsPage} />`, document.body);
