// What one says to a task: one that is at work takes it along, one that has ended goes on
// with it as another.

import type * as API from "../api_types";
import {ask, messageOf} from "../api";
import {announce} from "../stores/announcer";
import {useEffect, useRef, useState} from "../ui";
import {say} from "../words";

// With leave, the field was asked for: it has the focus, and Escape leaves it.
export function Steer({task, over, tasks, leave}: {task: API.Task; over: boolean; tasks: {changed(id: string): void; leadTo?(id: string): void}; leave?: () => void}) {
  const field = useRef<HTMLInputElement>(null!);
  useEffect(() => { if (leave) field.current.focus(); }, []);
  const [text, setText] = useState("");
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState(false);
  const label = over ? say("page.steer.go_on") : say("page.steer.add");
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || !text.trim()) return;
    setBusy(true);
    let outcome: string, refused = false;
    try {
      if (over) {
        const chat = task.origin.channel === "web" ? task.origin.chat : undefined;
        const next = await ask<API.Task>(`/api/tasks/${task.id}/continue`, {text, chat});
        outcome = say("page.steer.it_goes_on_as", {id: next.id});
        tasks.leadTo?.(next.id);
        tasks.changed(next.id);
      } else {
        await ask(`/api/tasks/${task.id}/steer`, {text});
        outcome = say("page.steer.read_before_next_step");
        tasks.changed(task.id);
      }
      setText("");
    } catch (error) {
      outcome = messageOf(error);
      refused = true;
    }
    setWrong(refused);
    setSaid(outcome);
    announce(outcome);
    setBusy(false);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !leave) return;
    event.stopPropagation(); // elsewhere it stops the agent
    leave();
  };
  return <form class="steer" onSubmit={submit} onKeyDown={key}>
    <input type="text" ref={field} dir="auto" value={text} placeholder={over ? say("page.steer.go_on_with_it") : say("page.steer.add_to_it")}
      aria-label={`${label}: ${task.title}`} onInput={event => setText(event.currentTarget.value)} />
    <button class="small" aria-disabled={busy ? "true" : undefined} aria-label={`${label}: ${task.title}`}>{label}</button>
    <span class={wrong ? "said" : "muted"}>{said}</span>
  </form>;
}
