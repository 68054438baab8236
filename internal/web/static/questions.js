// The page of questions: what waits for whom, and what was answered.

import {ask} from "./api.js";
import {Announcer} from "./components/announcer.js";
import {Header} from "./components/header.js";
import {QuestionList} from "./components/question_list.js";
import {may, me} from "./stores/account.js";
import {watch} from "./stores/changes.js";
import {Questions} from "./stores/questions.js";
import {html, render, signal} from "./ui.js";
import {say} from "./words.js";

const whose = signal(new URLSearchParams(location.search).get("person") ?? "");
const people = signal([]);

const questions = new Questions(filters());
let asked = false;

function filters() { return whose.value ? {person: whose.value} : {}; }

const refresh = watch(async changed => {
  if (!asked && may("GET /api/people") && may("GET /people")) people.value = await ask("/api/people");
  asked = true;
  if (changed.has("questions")) await questions.load();
}, () => whose.value);

function choose(person) {
  whose.value = person;
  history.replaceState(null, "", person ? `?${new URLSearchParams({person})}` : location.pathname);
  questions.of(filters()).catch(() => {}); // what is wrong is told when they are read again
  refresh();
}

const called = id => people.value.find(p => p.id === id)?.name || id;

function QuestionsPage() {
  const others = people.value.filter(p => p.id !== me.value?.id);
  return html`
    <${Header} />
    <main class="page">
      <div class="row"><h2>${say("Questions")}</h2>
        ${others.length > 0 && html`<form class="filters end"><label>${say("Whom they ask")}
          <select id="whose" value=${whose.value} onChange=${event => choose(event.target.value)}>
            <option value="">${say("me")}</option><option value="*">${say("everybody")}</option>
            ${others.map(p => html`<option key=${p.id} value=${p.id}>${p.name || p.id}</option>`)}
          </select></label></form>`}
      </div>
      <${QuestionList} questions=${questions} called=${called} />
      ${questions.more.value && html`<p><button id="more" type="button" class="small" onClick=${() => questions.older()}>${say("Older")}</button></p>`}
    </main>
    <${Announcer} />`;
}

render(html`<${QuestionsPage} />`, document.body);
