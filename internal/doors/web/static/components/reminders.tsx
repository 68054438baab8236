// The reminders of a chat, in the panel of work, or all reminders of a person. People add, change and
// remove them in place.

import type * as API from "../api_types";
import {ask, messageOf} from "../api";
import {may} from "../stores/account";
import {announce} from "../stores/announcer";
import {minuteOf, moment} from "../times";
import {useEffect, useRef, useState} from "../ui";
import {say} from "../words";
import {Act} from "./act";
import {Icon} from "./icon";
import {place} from "./platform";
import {Section} from "./work_section";

// chat is the chat for new reminders. reload reads the list again.
interface RemindersProps {
  list: API.Reminder[];
  chat: string;
  reload: () => Promise<void>;
  places?: boolean; // shows the chat of each reminder
}

export function Reminders({list, chat, reload, places}: RemindersProps) {
  const [edited, edit] = useState(""), title = say("page.reminders.reminders"); // id of the reminder in the form; "new": a new one
  const leave = () => {
    edit("");
    document.querySelector<HTMLElement>(`[aria-label="${title}"] h2 button`)?.focus();
  };
  const add = may("POST /api/reminders") && <button class="icon-only" type="button" aria-label={say("page.reminders.add")} aria-expanded={edited === "new"} onClick={() => edit(edited === "new" ? "" : "new")}><Icon name="plus" /></button>;
  return (
    <>
      <Section title={title} n={list.length} empty={say("page.reminders.examples")} action={add}>
        {list.map(one => <li key={one.id}>
          <button type="button" aria-expanded={edited === one.id} onClick={() => edit(edited === one.id ? "" : one.id)}><Icon name="alarmClock" /><span class="name" dir="auto">{one.text}</span><span class="facts">{places && `${place(one.channel, one.chat)}, `}{moment(one.next)}</span></button>
          {edited === one.id && <Form reload={reload} chat={chat} of={one} leave={leave} />}
        </li>)}
      </Section>
      {edited === "new" && <Form reload={reload} chat={chat} leave={leave} />}
    </>
  );
}

function Form({reload, chat, of, leave}: {reload: () => Promise<void>; chat: string; of?: API.Reminder; leave: () => void}) {
  const before = of?.next && !of.recurs ? minuteOf(of.next) : "";
  const form = useRef<HTMLFormElement>(null!), [text, setText] = useState(of?.text ?? ""), [when, setWhen] = useState(before), [wrong, setWrong] = useState("");
  useEffect(() => form.current.querySelector("input")?.focus(), []);
  const done = async () => {
    await reload();
    leave();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await ask(of ? `/api/reminders/${of.id}` : "/api/reminders", {text, when: when !== before && when || undefined, chat: of ? undefined : chat});
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
