// Being told by the browser of what comes while one looks at something else, or has closed
// the page: offered when an agent is first sent off, and to be changed in the settings.

import {terminal} from "../api";
import type {Conversation} from "../stores/conversation";
import {allowed, can, want, wanted} from "../stores/news";
import * as push from "../stores/push";
import {useState} from "../ui";
import {language, say} from "../words";
import {Act} from "./act";

export function NotifyOffer({conversation}: {conversation: Conversation}) {
  const atWork = conversation.entries.value.some(({kind, id = ""}) => {
    const task = kind === "task" && conversation.tasks.get(id).value;
    return task && !terminal(task.state);
  });
  const [due, setDue] = useState(false);
  if (atWork && !due) setDue(true); // it stays until it is answered
  const first = !wanted.value && allowed.value !== "denied";
  const closed = push.can && !push.wanted.value && wanted.value !== "no" && allowed.value !== "denied"; // also for a person who turned them on in the settings
  if (!can || !due || !first && !closed || conversation.waiting.value.length) return null; // a question comes first
  const tell = async () => {
    if (first) await want("yes");
    if (closed) await push.want(true, wanted.value === "words").catch(() => push.want(false)); // some browsers have no push service
  };
  const leave = async () => {
    if (first) await want("no");
    if (closed) await push.want(false);
  };
  const focus = () => document.getElementById("text")?.focus();
  return <section id="notify" class="notify" lang={language} aria-label={say("page.notify.notifications")}>
    <span>{closed ? say("page.notify.offer_when_closed") : say("page.notify.offer")}</span>
    <Act label={say("page.notify.tell_me")} run={() => tell().then(focus)} />
    <Act label={say("page.no_button")} run={() => leave().then(focus)} />
  </section>;
}

export function NotifySettings({save}: {save: (change: () => Promise<void>) => Promise<void>}) {
  if (!can) return null;
  const change = async (to: string) => {
    await want(to);
    if (push.wanted.value === "yes") await push.want(to !== "no", to === "words");
  };
  const no = (error: Error) => { throw new Error(say("page.notify.browser_cannot_told_while", {why: error.message})); };
  const yes = ["yes", "words"].includes(wanted.value) && allowed.value === "granted";
  return (
    <>
      <h3>{say("page.notify.notifications")}</h3>
      {allowed.value === "denied" ? <p class="muted">{say("page.notify.browser_does_not_allow")}</p> : (
        <>
          <label class="check"><input type="checkbox" checked={yes} onChange={event => save(() => change(event.currentTarget.checked ? "yes" : "no"))} /> {say("page.notify.tell_me_results_come")}</label>
          {push.can && <label class="check"><input type="checkbox" checked={yes && push.wanted.value === "yes"} disabled={!yes} onChange={event => save(() => push.want(event.currentTarget.checked, wanted.value === "words").catch(no))} /> {say("page.notify.also_when_page_closed")}</label>}
          <label class="check"><input type="checkbox" checked={wanted.value === "words" && yes} disabled={!yes} onChange={event => save(() => change(event.currentTarget.checked ? "words" : "yes"))} /> {say("page.notify.with_what_they_say")}</label>
        </>
      )}
    </>
  );
}
