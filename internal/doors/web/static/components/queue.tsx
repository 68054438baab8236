// Messages above the input box: those that wait until the agent reads them, and those that wait to
// be sent. The first can be changed and taken back, the others be sent again and discarded.

import type * as API from "../api_types";
import {display, messageOf} from "../api";
import {announce} from "../stores/announcer";
import type {Conversation} from "../stores/conversation";
import type {Message} from "../stores/outgoing";
import {type ComponentChildren, touch, useEffect, useRef, useState} from "../ui";
import {language, say} from "../words";
import {Icon, type IconName} from "./icon";

const focus = () => document.getElementById("text")?.focus();

export function Queue({conversation}: {conversation: Conversation}) {
  const {held, queued} = conversation.queue.value;
  if (!held.length && !queued.length) return null;
  return <ul id="queue" aria-label={say("page.queue.title")} lang={language}>
    {held.map(message => <Waits key={message.message_id} message={message} conversation={conversation} />)}
    {queued.map(message => <Unsent key={message.id} message={message} conversation={conversation} />)}
  </ul>;
}

function Waits({message: {message_id: id, text}, conversation}: {message: API.WaitingMessage; conversation: Conversation}) {
  const {held, editing} = conversation, [wrong, setWrong] = useState("");
  const withdraw = async () => {
    try {
      await held.withdraw(id);
      announce(say("page.queue.taken_back"));
      focus();
    } catch (error) {
      setWrong(messageOf(error));
      announce(messageOf(error));
    }
  };
  const leave = () => {
    editing.value = "";
    focus();
  };
  if (editing.value === id) return <li><Edit text={text} save={to => held.edit(id, to)} leave={leave} late={words => { conversation.wanted.value = words; }} /></li>;
  return <Row icon="clock" text={text} says={wrong || say("page.queue.sent_when_free", {agent: display(conversation.agent.value?.name)})} wrong={wrong !== ""}>
    <Button icon="pencil" label={say("page.queue.edit")} act={() => { editing.value = id; }} />
    <Button icon="x" label={say("page.queue.take_back")} act={withdraw} />
  </Row>;
}

function Unsent({message: {id, text, files, replaces, state, error}, conversation: {outgoing, agent}}: {message: Message; conversation: Conversation}) {
  const words = [text || replaces && say("page.message.try_again_have_your"), ...files.map(({name}) => `📎 ${name}`)].filter(Boolean).join(" ");
  if (!error && state !== "unsent") return <Row icon="clock" text={words} says={say("page.queue.sent_when_free", {agent: display(agent.value?.name)})} />;
  return <Row icon="cloudOff" text={words} says={error || say("page.queue.not_sent_yet")} wrong={error !== ""}>
    {(!replaces || state === "unsent") && <button class="text" type="button" onClick={() => outgoing.again(id)}>{say("page.send_again")}</button>}
    <Button icon="x" label={say("page.queue.discard")} act={() => { outgoing.drop(id); focus(); }} />
  </Row>;
}

function Row({icon, text, says, wrong, children}: {icon: IconName; text: string; says: string; wrong?: boolean; children?: ComponentChildren}) {
  return <li><Icon name={icon} /><p dir="auto" title={text}>{text}</p><span class={wrong ? "says wrong" : "says"}>{says}</span>{children}</li>;
}

function Button({icon, label, act}: {icon: IconName; label: string; act: () => unknown}) {
  return <button class="icon-only" type="button" aria-label={label} title={label} onClick={act}><Icon name={icon} /></button>;
}

interface EditProps {
  text: string;
  verb?: string; // label of the button; default: Save
  save: (to: string) => Promise<unknown>; // false: editing continues
  leave: () => void;
  late: (words: string) => void; // gets the text of a change that came after the agent had read the message
}

export function Edit({text, verb = say("page.save"), save, leave, late}: EditProps) {
  const field = useRef<HTMLTextAreaElement>(null!), [wrong, setWrong] = useState(""), left = useRef(false);
  useEffect(() => {
    const at = field.current;
    at.focus();
    at.setSelectionRange(text.length, text.length);
    return () => { if (!left.current && at.value.trim() && at.value !== text) late(at.value); };
  }, []);
  const close = () => {
    left.current = true;
    leave();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      if (await save(field.current.value) !== false) close();
    } catch (error) {
      setWrong(messageOf(error));
      announce(messageOf(error));
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing && (!touch.matches || event.ctrlKey || event.metaKey)) {
      submit(event);
    }
  };
  return <form class="edit" onSubmit={submit} onKeyDown={key}>
    <textarea ref={field} rows={1} dir="auto" aria-label={say("page.queue.your_message")} defaultValue={text}></textarea>
    <button class="small" type="submit">{verb}</button>
    <button class="small" type="button" onClick={close}>{say("page.cancel")}</button>
    <span class="said">{wrong}</span>
  </form>;
}
