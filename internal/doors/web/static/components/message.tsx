// One entry of a chat that somebody has said.

import type * as API from "../api_types";
import {useLayoutEffect, useRef, useState} from "../ui";
import type {Conversation, Entry, Send} from "../stores/conversation";
import {AnswerForm} from "./answer_form";
import {FileLink} from "./file";
import {Initials} from "./initials";
import {Meta, MetaButton} from "./meta";
import {QuestionEnd} from "./question_end";
import {later} from "./later";
import {ChatText} from "./linked_text";
import {StepsButton} from "./steps_button";
import {Versions} from "./versions";
import {WaitsFor} from "./waits_for";
import {language, say, type Words} from "../words";

const Steps = later(() => import("./steps").then(module => module.Steps));

// Why a text ends before its end.
const endings: Words = {
  stopped: () => say("page.message.stopped"),
  length: () => say("page.message.cut_off_models_limit"),
  content_filter: () => say("page.message.models_provider_withheld_rest"),
};

interface MessageProps {
  entry: Entry;
  asked: string[]; // ids of the tasks that the answer delegated
  conversation: Conversation;
  send: Send;
}

export function Message({entry, asked: delegated, conversation, send}: MessageProps) {
  const {kind, who, agent, text = "", live, ending, options, passing, file} = entry, {choices} = conversation;
  // How to answer without buttons stands behind the words of a question.
  const asked = conversation.asked(entry);
  const [open, setOpen] = useState(false);
  const button = <StepsButton entry={entry} asked={delegated} open={open} toggle={() => setOpen(!open)} />;
  const steps = open && <Steps entry={entry} asked={delegated} conversation={conversation} />;
  const versions = entry.version && <Versions version={entry.version} conversation={conversation} />;
  if (kind === "notice") {
    return <div class="message notice" dir="auto"><span lang={passing ? undefined : language}>{text}</span>{passing && <span class="note">{say("page.message.only_here_reloading_page")}</span>}{versions}{button}{steps}</div>;
  }
  const offered = ending === "length" ? [say("page.message.continue")] : options ?? [];
  const offers = choices.value === entry.key && offered.length > 0 && !asked; // a question has its own buttons
  const errands = kind === "late" ? conversation.from(entry) : [];
  return <article class={`message ${kind}${asked?.state === "open" ? " question-card" : ""}`} id={entry.event ? `e${entry.event}` : undefined} tabindex={entry.event ? -1 : undefined}>
    {who && <h2 class="speaker">{agent && <Initials name={agent} large />}{who}</h2>}
    {errands.length > 0 && <span class="errand" lang={language}>{errands.map(id => <><a key={id} href={`#${id}`}>{say("page.message.result_of", {title: conversation.tasks.get(id).value?.title ?? id})}</a> </>)}</span>}
    {(text || live) && <ChatText text={asked && text.startsWith(asked.text) ? asked.text : text} live={live} conversation={conversation} open={kind.includes("live")} />}
    {file && <FileLink href={`/api/file-versions/${file.id}`} name={file.name} size={file.size} type={file.type} />}
    {endings[ending ?? ""] && <p class="ending">{endings[ending ?? ""]?.()}</p>}
    {offers && <div class="choices">
      {offered.map(option => <button key={option} class="small" type="button" onClick={event => { event.currentTarget.closest<HTMLElement>("article")?.focus({preventScroll: true}); send(option); }}>{option}</button>)}
    </div>}
    {entry.question && <Asked question={asked} conversation={conversation} />}
    {!kind.includes("live") && <Meta entry={entry} text={text || live ? () => text || live?.text || "" : undefined}>
      {conversation.lastSaid.value?.key === entry.key && !options?.length && <MetaButton icon="rotate" label={say("page.message.try_again_have_your")} act={() => conversation.again()} />}
      {versions}
      {button}
    </Meta>}
    {steps}
  </article>;
}

// A question is answered where it was asked; then that place says how.
function Asked({question: q, conversation}: {question?: API.QuestionView; conversation: Conversation}) {
  const at = useRef<HTMLDivElement>(null!), held = at.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with the question: its end has the focus then.
    if (held && !at.current.contains(document.activeElement)) at.current.focus({preventScroll: true});
  });
  return <div class="asked" tabindex={-1} ref={at}>
    {q?.may_answer && <AnswerForm question={q} answer={given => conversation.questions.answer(q.id, given)} />}
    {q && <WaitsFor question={q} />}
    {q && <QuestionEnd question={q} />}
  </div>;
}
