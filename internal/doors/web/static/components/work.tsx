// The panel of work: what in this chat waits for this person, its errands, files and reminders.
// It is beside the chat, or a drawer where there is no room.

import type * as API from "../api_types";
import {display, elapsed, terminal} from "../api";
import {money} from "../numbers";
import {may} from "../stores/account";
import type {Chats} from "../stores/chats";
import {now} from "../stores/clock";
import type {Conversation} from "../stores/conversation";
import {leadTo} from "../stores/errands";
import {beside, type ChatFile, previewed, show, shown, type Work, workOf} from "../stores/work";
import {useEffect, useRef, useState} from "../ui";
import {language, say} from "../words";
import {Act} from "./act";
import {amount, iconOf} from "./file";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {useModal} from "./modal";
import {Reminders} from "./reminders";
import {stateWord} from "./state_word";
import {toQuestion} from "./waiting";
import {Section} from "./work_section";

const maxOpen = 50; // errands at work that are shown; and some that are over
const maxOver = 5;
const fewFiles = 8; // files that are shown before somebody asks for all

interface PanelProps {
  conversation: Conversation;
  chats: Chats;
  work: Work;
}

export function WorkPanel({conversation, chats}: Pick<PanelProps, "conversation" | "chats">) {
  const props = {conversation, chats, work: workOf(conversation)};
  if (!shown.value) return null;
  return beside.value ? <aside class="work" lang={language} aria-label={say("page.work.work")}><Sections {...props} leave={() => {}} /></aside> : <Drawer {...props} />;
}

function Drawer(props: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null!), leave = () => dialog.current.close();
  useModal(dialog);
  return <dialog class="work work-drawer" lang={language} aria-label={say("page.work.work")} ref={dialog} onClose={() => show(false)}
      onClick={event => { if (event.target === dialog.current) leave(); }}>
    <div class="work-head"><h2>{say("page.work.work")}</h2><button class="icon-only" type="button" aria-label={say("page.close")} onClick={leave}><Icon name="x" /></button></div>
    <Sections {...props} leave={leave} />
  </dialog>;
}

function Sections({conversation, chats, work, leave}: PanelProps & {leave: () => void}) {
  const waiting = conversation.waiting.value;
  useEffect(() => work.follow(), []);
  return (
    <>
      {waiting.length > 0 && <Section title={say("page.work.waiting_for_you")} n={waiting.length}>
        {waiting.map(q => <li key={q.id}><a href="/questions" onClick={event => toQuestion(q, event, leave)}><span class="wait"><Icon name="question" /></span><span class="name" dir="auto">{q.text}</span><Since at={q.created} /></a></li>)}
      </Section>}
      <ErrandList conversation={conversation} chats={chats} leave={leave} />
      <FileList files={work.files.value} />
      {may("GET /api/reminders") && <Reminders list={work.reminders.value} reload={() => { chats.heard(); return work.load(); }} chat={conversation.chat} />}
    </>
  );
}

const Since = ({at}: {at: string}) => <span class="facts">{elapsed(Date.parse(at), now.value)}</span>;

function ErrandList({conversation, chats, leave}: Omit<PanelProps, "work"> & {leave: () => void}) {
  const all = conversation.tasks.all().sort((a, b) => Date.parse(b.created) - Date.parse(a.created)), session = chats.open.value?.session_id;
  const open = all.filter(task => !terminal(task.state)), list = [...open.slice(0, maxOpen), ...all.filter(task => terminal(task.state)).slice(0, maxOver)];
  return <Section title={say("page.work.errands")} n={all.length} empty={say("page.work.errand_takes_while")}>
    {list.map(task => <li key={task.id}><a href={`/tasks/${task.id}`} class={terminal(task.state) ? "past" : undefined} onClick={event => { if (leadTo(task.id, conversation, leave)) event.preventDefault(); }}>
      {task.state === "completed" ? <Icon name="check" /> : <Initials name={task.agent} />}
      <span class="hidden">{display(task.agent)}: </span><span class="name" dir="auto">{task.title}</span><Facts task={task} />
    </a></li>)}
    {all.length > list.length && session && <li><a href={`/tasks?chat=${session}`}><span class="name">{say("page.work.all_errands", {n: all.length})}</span></a></li>}
  </Section>;
}

// An errand at work says how long it takes, one that waits or has not ended well says so.
function Facts({task}: {task: API.Task}) {
  const cost = task.cost ? money(task.cost) : "";
  if (task.state === "completed") return <span class="facts"><span class="hidden">{stateWord(task.state)}</span>{cost}</span>;
  if (task.state === "submitted") return <span class="facts">{say("page.task.queued")}</span>;
  if (terminal(task.state)) return <span class={`facts ${task.state === "canceled" ? "" : "fail"}`}>{stateWord(task.state)}</span>;
  return <span class="facts">{[elapsed(Date.parse(task.created), now.value), cost].filter(Boolean).join(" · ")}</span>;
}

function FileList({files}: {files: ChatFile[]}) {
  const [all, showAll] = useState(false), list = all ? files : files.slice(0, fewFiles);
  return <Section title={say("page.work.files")} n={files.length} empty={say("page.work.files_agents_write")}>
    {list.map(file => <li key={file.href}><button type="button" title={file.name} onClick={() => { previewed.value = file; }}>
      <Icon name={iconOf(file)} /><span class="name" dir="auto">{file.name.split("/").pop()}</span><span class="facts">{amount(file.size)}</span>
    </button></li>)}
    {list.length < files.length && <li><Act label={say("page.work.all_files", {n: files.length})} name="text" run={() => showAll(true)} /></li>}
  </Section>;
}
