// The reminders of a chat, in the panel of work. They are added, changed and removed there.

import type * as API from "../api_types";
import {ask, messageOf} from "../api";
import {may} from "../stores/account";
import {announce} from "../stores/announcer";
import type {Work} from "../stores/work";
import {shortMoment} from "../times";
import {useEffect, useRef, useState} from "../ui";
import {say} from "../words";
import {Act} from "./act";
import {Icon} from "./icon";
import {Section} from "./work_section";

export function Reminders({work, chat}: {work: Work; chat: string}) {
  const [edited, edit] = useState(""), list = work.reminders.value, title = say("page.reminders.reminders"); // id of the one that is changed; "new": one that is added
  const leave = () => edit("");
  const add = may("POST /api/reminders") && <button class="icon-only" type="button" aria-label={say("page.reminders.add")} aria-expanded={edited === "new"} onClick={() => edit(edited === "new" ? "" : "new")}><Icon name="plus" /></button>;
  return (
    <>
      <Section title={title} n={list.length} empty={say("page.reminders.examples")} action={add}>
        {list.map(one => <li key={one.id}>
          <button type="button" aria-expanded={edited === one.id} onClick={() => edit(edited === one.id ? "" : one.id)}><Icon name="alarmClock" /><span class="name" dir="auto">{one.text}</span><span class="facts">{shortMoment(one.next)}</span></button>
          {edited === one.id && <Form work={work} chat={chat} of={one} leave={leave} />}
        </li>)}
      </Section>
      {edited === "new" && <Form work={work} chat={chat} leave={leave} />}
    </>
  );
}

function Form({work, chat, of, leave}: {work: Work; chat: string; of?: API.Reminder; leave: () => void}) {
  const form = useRef<HTMLFormElement>(null!), [text, setText] = useState(of?.text ?? ""), [when, setWhen] = useState(""), [wrong, setWrong] = useState("");
  useEffect(() => form.current.querySelector("input")?.focus(), []);
  const done = async () => {
    await work.load();
    leave();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await ask(of ? `/api/reminders/${of.id}` : "/api/reminders", {text, when: when || undefined, chat: of ? undefined : chat});
      await done();
    } catch (error) {
      setWrong(messageOf(error));
      announce(messageOf(error));
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // elsewhere it stops the agent
    event.preventDefault();  // and closes a drawer
    leave();
  };
  return <form class="reminder-form" ref={form} onSubmit={submit} onKeyDown={key}>
    <label>{say("page.reminders.what")} <input type="text" dir="auto" required value={text} onInput={event => setText(event.currentTarget.value)} /></label>
    <label>{say("page.reminders.when")} <input type="text" dir="auto" required={!of} value={when} placeholder={of?.when ?? say("page.reminders.tomorrow_at_9")} onInput={event => setWhen(event.currentTarget.value)} /></label>
    <div class="choices">
      <button class="small" type="submit">{say("page.save")}</button>
      <button class="small" type="button" onClick={leave}>{say("page.cancel")}</button>
      {of && may("DELETE /api/reminders/{id}") && <Act end label={say("page.reminders.remove")} describe={say("page.reminders.remove_title", {what: of.text})} run={async () => {
        await ask(`/api/reminders/${of.id}`, undefined, "DELETE");
        await done();
      }} />}
    </div>
    <span class="said">{wrong}</span>
  </form>;
}
