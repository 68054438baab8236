// Where one writes, and stops.

import type * as API from "../api_types";
import {display} from "../api";
import {me} from "../stores/account";
import {announce} from "../stores/announcer";
import {draft, draftFiles, keepDraft, keepDraftFiles} from "../stores/drafts";
import type {Conversation, Send} from "../stores/conversation";
import type {WaitingFile as Waits} from "../stores/files";
import {Blind, typeOf, WaitingFile} from "./file";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {Select} from "./select";
import {Suggestions, useSuggestions} from "./suggest";
import {touch, useEffect, useRef, useState} from "../ui";
import {language, say} from "../words";

// base64 is what a file has in it.
function base64(file: File) {
  return new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

export function Composer({conversation, send}: {conversation: Conversation; send: Send}) {
  const form = useRef<HTMLFormElement>(null!), text = useRef<HTMLTextAreaElement>(null!), picker = useRef<HTMLInputElement>(null!);
  const [files, showFiles] = useState<Waits[]>([]);
  const [over, setOver] = useState(false); // something is held over the page that can be dropped
  const person = me.value?.id;
  const working = conversation.working.value;

  useEffect(() => {
    const escape = (event: KeyboardEvent) => { if (event.key === "Escape" && conversation.working.value && !document.querySelector("dialog[open], :popover-open")) conversation.stop(); };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, []);
  useEffect(() => {
    if (!person) return; // what there is, is somebody's
    if (text.current.value) keepDraft(person, conversation.chat, text.current.value);
    else text.current.value = draft(person, conversation.chat);
    draftFiles(person, conversation.chat).then(kept => { if (kept.length) showFiles(now => [...kept, ...now]); });
  }, [person]);
  useEffect(() => {
    const words = conversation.wanted.value;
    if (!words) return;
    conversation.wanted.value = "";
    text.current.value = text.current.value.trim() ? `${text.current.value}\n${words}` : words; // what is begun is not lost
    text.current.dispatchEvent(new Event("input", {bubbles: true}));
    text.current.focus();
  }, [conversation.wanted.value]);
  const setFiles = (next: Waits[]) => {
    showFiles(next);
    if (person) keepDraftFiles(person, conversation.chat, next);
  };

  useEffect(() => {
    // With a keyboard at hand one comes to write, unless one was led to a message.
    if (!touch.matches && !location.hash && document.activeElement === document.body) text.current.focus();
  }, []);

  const suggest = useSuggestions(text, conversation);
  const submit = (event: Event) => {
    event.preventDefault();
    const body = text.current.value.trim();
    if (!body && files.length === 0) return;
    text.current.value = "";
    if (person) keepDraft(person, conversation.chat, "");
    send(body, files);
    setFiles([]);
    text.current.focus();
  };
  const latest = useRef<Waits[]>([]);
  latest.current = files;
  const add = async (list: Iterable<File>) => {
    const read = await Promise.allSettled([...list].map(async file => ({name: file.name, data: await base64(file)})));
    const good = read.filter(one => one.status === "fulfilled").map(one => one.value);
    if (good.length < read.length) announce(say("page.composer.could_not_be_read", {n: read.length - good.length})); // a folder
    setFiles([...latest.current, ...good]);
    text.current.focus();
  };
  const adding = useRef(add);
  adding.current = add;
  useEffect(() => {
    let leaving = 0;
    const holds = (event: DragEvent) => event.dataTransfer?.types.includes("Files");
    const dragged = (event: DragEvent) => {
      if (!holds(event)) return;
      event.preventDefault();
      clearTimeout(leaving);
      leaving = setTimeout(() => setOver(false), 300); // browsers say often that it is there, and not always that it has gone
      setOver(true);
    };
    const dropped = (event: DragEvent) => {
      if (!holds(event)) return;
      event.preventDefault();
      clearTimeout(leaving);
      setOver(false);
      adding.current(event.dataTransfer?.files ?? []);
    };
    document.addEventListener("dragover", dragged);
    document.addEventListener("drop", dropped);
    return () => {
      document.removeEventListener("dragover", dragged);
      document.removeEventListener("drop", dropped);
    };
  }, []);
  const paste = (event: ClipboardEvent) => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const typed = () => {
    if (person) keepDraft(person, conversation.chat, text.current.value);
    suggest.typed();
  };
  const key = (event: KeyboardEvent) => {
    if (suggest.keys(event)) return;
    if (event.key === "ArrowUp" && !text.current.value && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      conversation.recall();
    }
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || touch.matches) return;
    event.preventDefault();
    form.current.requestSubmit();
  };
  const agent = conversation.agent.value;
  return <form id="form" class="composer" ref={form} onSubmit={submit}>
    <Suggestions list={suggest.list} chosen={suggest.chosen} take={suggest.take} />
    {files.length > 0 && <div class="attached">{files.map(file => <div key={file} class="attachment">
      <WaitingFile {...file} />{typeOf(file.data) && <Blind agent={agent?.name} link />}
      <button class="icon-only" type="button" aria-label={say("page.remove_name", {name: file.name})} onClick={() => setFiles(files.filter(f => f !== file))}><Icon name="x" /></button>
    </div>)}</div>}
    {over && <p class="dropping" lang={language}>{say("page.composer.drop_files_attach_them")}</p>}
    <label for="text" class="hidden">{say("page.composer.message")}</label>
    <textarea id="text" rows={1} dir="auto" placeholder={agent ? say("page.composer.write_to", {agent: display(agent.name)}) : say("page.composer.message")} autocomplete="off" ref={text}
      title={touch.matches ? undefined : say("page.composer.enter_sends_shift_enter")} enterkeyhint={touch.matches ? "enter" : "send"}
      aria-autocomplete="list" aria-controls={suggest.list.length ? "suggestions" : undefined} aria-activedescendant={suggest.list.length ? `suggestion-${suggest.chosen}` : undefined}
      onBlur={suggest.close} onInput={typed} onKeyDown={key} onPaste={paste}></textarea>
    <input type="file" id="files" class="hidden" multiple tabindex={-1} aria-hidden="true" ref={picker}
      onChange={event => { add(event.currentTarget.files ?? []); event.currentTarget.value = ""; }} />
    <button type="button" id="attach" class="icon-only" aria-label={say("page.composer.attach_picture_or_another")} title={say("page.composer.attach_picture_or_another")} onClick={() => picker.current.click()}><Icon name="paperclip" /></button>
    <AgentPicker agents={conversation.agents.value} active={agent} choose={name => conversation.command(`/agent ${name}`).then(() => text.current.focus())} />
    {working && <button type="button" id="stop" class="icon-only" aria-label={say("page.composer.stop")} title={`${say("page.composer.stop")} (Esc)`} onClick={() => conversation.stop()}><Icon name="square" /></button>}
    <button type="submit" id="send" aria-label={say("page.composer.send")} title={say("page.composer.send")}><Icon name="arrowUp" /></button>
  </form>;
}

function AgentPicker({agents, active, choose}: {agents: API.AgentView[]; active?: API.AgentView; choose: (name: string) => void}) {
  if (!active) return null;
  const offered = agents.filter(a => a.talks || a === active);
  return <label id="with"><Initials name={active.name} /><span class="hidden">{say("page.composer.with")} </span>
    <Select id="agent" value={active.name} disabled={offered.length < 2} options={offered.map(a => [a.name, display(a.name), a.description])} choose={choose} /></label>;
}
