// The page of questions: what waits for whom, and what was answered.

import {Announcer} from "./components/announcer";
import {Header} from "./components/header";
import {QuestionList} from "./components/question_list";
import {Narrow, Side} from "./components/side";
import {Select} from "./components/select";
import {watch} from "./stores/changes";
import {learnNames, nameOf, others} from "./stores/names";
import {Questions} from "./stores/questions";
import {render, signal} from "./ui";
import {say} from "./words";

const whose = signal(new URLSearchParams(location.search).get("person") ?? "");

const questions = new Questions(filters());

function filters(): Record<string, string> { return whose.value ? {person: whose.value} : {}; }

const refresh = watch(async changed => {
  await learnNames();
  if (changed.has("questions")) await questions.load();
}, () => whose.value);

function choose(person: string) {
  whose.value = person;
  history.replaceState(null, "", person ? `?${new URLSearchParams({person})}` : location.pathname);
  questions.of(filters()).catch(() => {}); // what is wrong is told when they are read again
  refresh();
}

function Whose() {
  return others().length > 0 && <form class="filter-bar"><label data-set={whose.value}>{say("page.questions.whom_they_ask")}
    <Select id="whose" value={whose.value} all={say("page.questions.me")} options={[["*", say("page.questions.everybody")], ...others()]} choose={choose} /></label></form>;
}

function QuestionsPage() {
  return (
    <>
      <Header />
      <Side label={say("page.questions")}>
        <h2>{say("page.questions")}</h2>
        <a href="#waiting">{say("page.waiting")}<span class="n">{questions.open.value.length}</span></a>
        <a href="#over">{say("page.question_list.closed")}<span class="n">{questions.over.value.length}</span></a>
        <Whose />
      </Side>
      <main class="page narrow">
        <h1>{say("page.questions")}</h1>
        <Narrow><Whose /></Narrow>
        <QuestionList questions={questions} called={nameOf} />
        {questions.more.value && <p><button id="more" type="button" class="small" onClick={() => questions.older()}>{say("page.older")}</button></p>}
      </main>
      <Announcer />
    </>
  );
}

render(<QuestionsPage />, document.body);
