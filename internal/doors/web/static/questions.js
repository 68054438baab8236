// The page of questions: what waits for whom, and what was answered.

import {Announcer} from "./components/announcer.js";
import {Header} from "./components/header.js";
import {QuestionList} from "./components/question_list.js";
import {Select} from "./components/select.js";
import {watch} from "./stores/changes.js";
import {learnNames, nameOf, others} from "./stores/names.js";
import {Questions} from "./stores/questions.js";
import {html, render, signal} from "./ui.js";
import {say} from "./words.js";

const whose = signal(new URLSearchParams(location.search).get("person") ?? "");

const questions = new Questions(filters());

function filters() { return whose.value ? {person: whose.value} : {}; }

const refresh = watch(async changed => {
  await learnNames();
  if (changed.has("questions")) await questions.load();
}, () => whose.value);

function choose(person) {
  whose.value = person;
  history.replaceState(null, "", person ? `?${new URLSearchParams({person})}` : location.pathname);
  questions.of(filters()).catch(() => {}); // what is wrong is told when they are read again
  refresh();
}

function QuestionsPage() {
  return html`
    <${Header} />
    <main class="page">
      <div class="row"><h2>${say("page.questions")}</h2>
        ${others().length > 0 && html`<form class="filters end"><label>${say("page.questions.whom_they_ask")}
          <${Select} id="whose" value=${whose.value} all=${say("page.questions.me")} options=${[["*", say("page.questions.everybody")], ...others()]} choose=${choose} /></label></form>`}
      </div>
      <${QuestionList} questions=${questions} called=${nameOf} />
      ${questions.more.value && html`<p><button id="more" type="button" class="small" onClick=${() => questions.older()}>${say("page.older")}</button></p>`}
    </main>
    <${Announcer} />`;
}

render(html`<${QuestionsPage} />`, document.body);
