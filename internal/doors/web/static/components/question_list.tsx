// Questions that wait, and below them those that are over.

import type {Questions} from "../stores/questions";
import {useLayoutEffect, useRef} from "../ui";
import {say} from "../words";
import {QuestionCard} from "./question_card";

export function QuestionList({questions, called}: {questions: Questions; called: (id: string) => string}) {
  const {open, over, read} = questions;
  const ids = open.value, waiting = useRef<HTMLElement>(null!), before = useRef(ids);
  // Where a question goes that somebody is at, the next one has the focus, or the head.
  const at = document.activeElement?.closest<HTMLElement>("#waiting [data-question-card]")?.dataset.questionCard;
  const place = at ? before.current.indexOf(at) : -1;
  useLayoutEffect(() => {
    before.current = ids;
    if (!at || place < 0 || ids.includes(at)) return;
    const cards = waiting.current.querySelectorAll<HTMLElement>("[data-question-card]");
    (cards[Math.min(place, cards.length - 1)] ?? waiting.current.querySelector("h3"))?.focus({preventScroll: true});
  }, [ids]);
  const n = ids.length;
  return (
    <>
      <section id="waiting" aria-labelledby="waiting-head" ref={waiting}>
        <h2 id="waiting-head" tabindex={-1}>{n === 1 ? say("page.question_list.one_waits_answer") : n ? say("page.question_list.wait_for_an_answer", {n}) : say("page.waiting")}</h2>
        <div class="cards">{ids.map(id => <QuestionCard key={id} id={id} questions={questions} called={called} />)}</div>
        {read.value && !n && <p class="muted">{say("page.question_list.nothing_waits_answer_when")}</p>}
      </section>
      {over.value.length > 0 && <section id="over" aria-labelledby="over-head">
        <h2 id="over-head">{say("page.question_list.closed")}</h2>
        <div class="cards">{over.value.map(id => <QuestionCard key={id} id={id} questions={questions} called={called} />)}</div>
      </section>}
    </>
  );
}
