// A chat: what was said in it, what is being said, and what goes on. It is made of
// the session's event log: each durable event has an id and is shown once, whatever
// the connection does.

import type * as API from "../api_types";
import {ask, display, elapsed, isFinal, messageOf, terminal} from "../api";
import {deedOf} from "../deeds";
import {LiveMarkdown} from "../markdown";
import {painted, rested} from "../markdown/queue";
import type {Time} from "../times";
import {batch, computed, signal} from "../ui";
import {say} from "../words";
import {about, failed, know, load, lookAbout, reached} from "./account";
import {announce} from "./announcer";
import {now} from "./clock";
import type {Chats} from "./chats";
import {before, follow, opening} from "./events";
import {Held} from "./held";
import type {WaitingFile} from "./files";
import {type Answer, isCommand, type Message, Outgoing} from "./outgoing";
import {Plan} from "./plan";
import {sure} from "./question";
import {Questions} from "./questions";
import {Tasks} from "./tasks";
import {chosen, type Version, versionOf} from "./versions";

// An Entry is something that is shown of a chat. kind is "mine", "task", or how a message is dressed.
export interface Entry {
  key: string;
  kind: string;
  text?: string;
  at?: Time;
  event?: number;         // its id in the log
  who?: string;
  agent?: string;         // who speaks
  message?: Message;      // one that errand may not have yet
  attached?: API.AttachedFile[];
  id?: string;            // of a task whose card this is
  task?: string;          // of a task whose outcome this tells
  turn?: string | number; // see turnKey; while it is being written, its number
  turnNumber?: number;
  session?: string;
  tools?: API.ToolUse[];
  options?: string[];
  file?: API.SentFile;
  question?: string;
  ending?: string;
  live?: LiveMarkdown;
  passing?: boolean;      // it is not in the log
  replaces?: {session: string; number: number}; // the turn that this message replaces
  version?: Version;      // at the last entry of a turn with several versions
}

// Send sends what a person says.
export type Send = (text: string, files?: WaitingFile[]) => void;

type LiveEntry = Entry & {turn: number | undefined; live: LiveMarkdown};

// What kind of message each type of event is.
const kinds: Partial<Record<API.EventType, string>> = {reply: "reply", question: "reply question", partial: "reply", late: "late", error: "error", notice: "notice", file: "file", session: "session"};

const stopWords = /^\/stop(\s|$)/, resetWords = /^\/(new|reset)\s*$/;

const soonest = Math.ceil(innerHeight / 50); // entries that are drawn first when a chat is opened: more than a window has
const atOnce = 40; // that are drawn together behind those

const mostAtOnce = 1000; // events that are read together on the way to an old message

const patient = 5000; // milliseconds that one waits without being told for how long

export class Conversation {
  chat: string;
  path: string;
  tasks: Tasks;
  plan: Plan;
  questions: Questions;
  outgoing: Outgoing;
  held: Held;
  wanted = signal("");        // words that are to be written once more
  editing = signal("");       // id of the waiting message that is being changed
  #chats: Chats;
  read = signal(false);       // the log has been read
  more = signal(false);       // there may be more before what is shown
  live = signal<LiveEntry | null>(null); // the entry of the reply that is being written
  choices = signal("");       // key of the entry whose options may be chosen
  agents = signal<API.AgentView[]>([]); // who may be talked with here
  #chosen = signal(new Map<string, number>()); // numbers of the versions to show, by the key of the oldest version's message
  #drawn = signal(soonest);   // so many entries of its end are drawn
  #said = signal<Entry[]>([]); // entries of what is in the log, and of answers to commands
  #doing = signal(new Map<string, {text: string; turn?: number; since: number}>()); // what each agent at work does, and since when, by task id or "turn"
  #waiting = signal(new Map<string, number>()); // when messages without a reply were written, by message id
  #first = 0;                 // ids of the oldest and the newest event that is known
  #last = 0;
  #shownLast = new Map<string, number>(); // the event that shows a question last, by its id
  #over: Record<string, number> = {}; // the last turn that has ended, by session
  #moved = new Map<string, number>(); // the event of a message that waited, where a turn took it, by message id
  #ended = new Set<string>(); // tasks that have their outcome
  #asked = new Set<string>(); // tasks whose card is shown
  #replacing = false;         // a second click must not replace the answer again
  #stopping = false;          // something was at work when it was to be stopped
  #count = 0;
  #looking = 0;

  // entries is all that is shown in the chat, oldest first. A message that the agent has not read
  // is in the queue.
  entries = computed((): Entry[] => {
    const {held, queued} = this.queue.value;
    const sending = this.outgoing.list.value.filter(m => !queued.includes(m) && !m.replaces).map((m): Entry => ({key: `message-${m.id}`, kind: "mine", text: m.text, message: m, at: m.at}));
    const waits = new Set(held.map(m => `message-${m.message_id}`));
    const said = chosen(this.#said.value, this.#chosen.value).slice(-this.#drawn.value);
    return [...waits.size ? said.filter(entry => !waits.has(entry.key)) : said, ...sending, ...(this.live.value ? [this.live.value] : [])];
  });

  // queue has the messages that stand above the input box: those that wait for the agent, and
  // those that wait to be sent.
  queue = computed(() => ({
    held: this.held.list.value,
    queued: this.outgoing.list.value.filter(m => m.error || m.state === "unsent" || this.#busy && !isCommand(m.text)),
  }));

  // #busy holds while no turn reads what is sent now.
  get #busy() { return this.#doing.value.has("turn") || Boolean(about.value.paused); }

  // agent is who answers here; nothing until it is known.
  agent = computed(() => this.agents.value.find(a => a.active) ?? this.agents.value.find(a => a.primary));

  // working holds while a turn is at work, or messages wait for one.
  working = computed(() => this.#doing.value.has("turn") || this.#waiting.value.size > 0 ||
    this.outgoing.list.value.some(m => !isCommand(m.text) && (m.state === "sending" || m.state === "sent")));

  // doing says in short who is at work on what. Of several errands it says how many each agent has.
  doing = computed(() => {
    const steps = this.#doing.value, turn = steps.get("turn"), asked = this.#said.value.flatMap(({kind, id}) => kind === "task" && id ? [id] : []);
    // After a restart an agent at work does not say what it does until its next step. A task that
    // waits for the person is at work for nobody.
    const errands = [...new Set([...asked, ...steps.keys()])].filter(id => {
      const state = this.tasks.get(id).value?.state;
      return id !== "turn" && (state ? !terminal(state) && state !== "input_required" : steps.has(id));
    });
    const agentOf = (id: string) => display(this.tasks.get(id).value?.agent) || steps.get(id)?.text.split(":")[0] || "";
    const lines = turn ? [timed(turn.text, turn.since)] : this.working.value ? [timed(say("page.conversation.sent"), this.#waitsSince)] : [];
    if (errands.length > 1) {
      const agents = [...Map.groupBy(errands, agentOf)].map(([agent, {length}]) => `${agent} ${length}`).join(", ");
      lines.push(say("page.conversation.errands_at_work", {n: errands.length, agents}));
    } else {
      lines.push(...errands.map(id => steps.get(id)?.text ?? say("page.conversation.at_work", {agent: agentOf(id)})));
    }
    return lines.join(" · ");
  });

  // chats is the list that this chat is in: it is told what is read, and that more was said.
  constructor(chat: string, chats: Chats) {
    this.chat = chat;
    this.#chats = chats;
    this.path = `/api/sessions/${encodeURIComponent(chat)}`;
    this.tasks = new Tasks(new URLSearchParams({chat, limit: "1000"}));
    this.plan = new Plan(chat);
    this.questions = new Questions({chat});
    this.outgoing = new Outgoing(this.path, chat, (message, answer) => this.#answered(message.text, answer));
    this.held = new Held(this.path);
  }

  // begin reads the log, and follows it from then on, when errand can be reached.
  async begin() {
    for (let delay = 500; ; delay = Math.min(delay * 2, 5000)) {
      try {
        const all = await opening(this.path);
        know(all.me, all.about);
        await this.outgoing.of(all.me.id);
        batch(() => {
          for (const e of all.events) this.#take(e);
          this.#first = all.events[0]?.id ?? 0;
          this.more.value = all.more;
          this.agents.value = all.agents;
          this.plan.take(all.session);
          this.questions.take(all.waiting, all.questions);
          this.#chats.begin(all.chats);
        });
        if (this.#waiting.value.size) await this.held.load().catch(() => this.held.changed());
        this.read.value = true;
        this.#chats.saw(this.#last, true);
        break;
      } catch (error) {
        failed(error);
        await new Promise(resolve => setTimeout(resolve, delay));
      }
    }
    let again = false;
    follow(this.path, {
      after: () => this.#last,
      take: e => this.#come(e),
      opened: () => {
        reached();
        if (again) this.#lookAgain(); // else all has just been read
        again = true;
        this.outgoing.back();
      },
      lost: () => {
        batch(() => {
          this.#doing.value = new Map();
          failed();
        });
        ask(`/api/tasks?limit=1&chat=${encodeURIComponent(this.chat)}`).catch(error => {
          if (isFinal(error)) failed(error); // such a chat cannot be
        });
      },
    });
  }

  // #lookAgain reads what may have changed while there was no stream.
  #lookAgain() {
    this.lookWho();
    this.plan.changed();
    this.questions.changed();
    this.held.changed();
    if (this.#asked.size) this.tasks.load().catch(() => {});
    load().catch(() => {});
  }

  // drawRest has all drawn that is known, when nothing else is to be done.
  async drawRest() {
    for (; !this.allDrawn; this.#drawn.value += atOnce) await rested().then(painted);
    this.drawAll();
  }

  drawAll() { this.#drawn.value = Infinity; }

  get allDrawn() { return this.#drawn.value >= this.#said.value.length; }

  // earlier shows what was said before.
  async earlier(limit?: number) {
    const {events, more} = await before(this.path, this.#first, limit);
    batch(() => {
      let earlier: Entry[] = [];
      for (const e of events) if (e.cause === "taken") this.#taken(e);
      for (const e of events) {
        const entry = this.#entry(e);
        if (entry) earlier = joined(earlier, entry);
      }
      this.#first = events[0]?.id ?? this.#first;
      this.#said.value = [...earlier, ...this.#said.value];
      this.more.value = more;
    });
  }

  // asked is the question that an entry shows and that is answered there, with buttons or
  // fields; nothing where the next message is the answer. Of a question that was shown
  // again, the last entry is meant.
  asked(entry: Entry) {
    if (!entry.question || this.#shownLast.get(entry.question) !== entry.event) return undefined;
    const q = this.questions.get(entry.question).value;
    return q && (q.task_id || q.kind !== "question" || q.schema) ? q : undefined;
  }

  // waiting are the questions of this chat that wait for this person.
  waiting = computed(() => this.questions.open.value.map(id => this.questions.get(id).value).filter(q => q?.may_answer) as API.QuestionView[]);

  // from are the tasks that are shown whose outcome an entry tells, and told is the entry
  // that has told of a task: what is late leads to its errand, and back.
  from(entry: Entry) {
    if (entry.task) return [entry.task].filter(id => this.#asked.has(id));
    return entry.turn ? this.tasks.all().filter(t => t.told_by === entry.turn && this.#asked.has(t.id)).map(t => t.id) : [];
  }

  told(id: string) {
    const by = this.tasks.get(id).value?.told_by;
    return by && this.#said.value.find(entry => entry.kind === "late" && (entry.task === id || entry.turn === by));
  }

  // lastMine is the message that can be replaced: the person's last one, if no turn has begun since
  // it was answered. lastSaid is its answer.
  lastMine = computed(() => {
    const said = this.#said.value, at = said.findLastIndex(entry => entry.kind === "mine" && entry.event);
    const over = said.slice(at + 1).some(({kind, turnNumber}) => kind === "session" || kind === "late" && turnNumber);
    const asks = this.questions.open.value.some(id => !this.questions.get(id).value?.task_id); // the turn may wait for an approval
    return this.working.value || over || asks ? undefined : said[at];
  });
  lastSaid = computed(() => {
    const mine = this.lastMine.value, last = this.#said.value.findLast(entry => entry.event && ["reply", "error"].includes(entry.kind.split(" ")[0]));
    return mine && (last?.event ?? 0) > (mine.event ?? 0) ? last : undefined;
  });

  // choose shows another version of a turn.
  choose(key: string, at: number) { this.#chosen.value = new Map(this.#chosen.value).set(key, at); }

  // recall opens the last waiting message for editing, or else the last answered one.
  recall() {
    const waits = this.held.list.value.at(-1)?.message_id, last = this.lastMine.value;
    if (waits || last && wordsOf(last)) this.editing.value = waits ?? idOf(last!);
    else this.wanted.value = this.entries.value.findLast(entry => entry.kind === "mine" && entry.text)?.text ?? "";
  }

  // replace replaces the person's last message and its answer. Without text, the message stays the
  // same. It asks for confirmation if the answer made changes, and reports whether it sent the message.
  async replace(mine: Entry, text = "") {
    if (this.#replacing) return false;
    this.#replacing = true;
    try {
      return await this.#replace(mine, text);
    } finally {
      this.#replacing = false;
    }
  }

  async #replace(mine: Entry, text: string) {
    const id = idOf(mine), changes = await ask<API.TurnChange[]>(`${this.path}/messages/${encodeURIComponent(id)}/changes`);
    const lines = changes.map(({tool, about, title}) => title ? say("page.versions.started", {title}) : `${deedOf(tool)[1]} ${about ?? ""}`);
    if (lines.length && !await sure(say("page.versions.replace"), say("page.versions.replace_it"), say("page.versions.stays_done"), lines)) return false;
    this.choices.value = "";
    this.#chosen.value = new Map();
    this.outgoing.send(text, [], id);
    return true;
  }

  // again requests another answer to the person's last message.
  async again() {
    const mine = this.lastMine.value;
    if (mine) await this.replace(mine).catch(error => this.#note({kind: "error", who: say("page.conversation.not_done"), text: messageOf(error)}));
  }

  // below are the tasks of this chat that were delegated by one of it.
  below(id: string) { return this.#said.value.flatMap(entry => entry.kind === "task" && entry.id && this.tasks.get(entry.id).value?.parent === id ? [entry.id] : []); }

  // isBelow holds for a task whose card is in another's.
  isBelow(id: string) {
    const parent = this.tasks.get(id).value?.parent;
    return parent && this.#asked.has(parent);
  }

  // show has an event shown that somebody was led to, with what was said since. It
  // returns whether it is there.
  async show(id: number) {
    while (this.more.value && this.#first > id) await this.earlier(mostAtOnce);
    return this.reveal(entry => entry.event === id);
  }

  // reveal shows the version that an entry belongs to, and reports whether the chat has the entry.
  reveal(is: (entry: Entry) => boolean) {
    const version = versionOf(this.#said.value, is);
    if (version) this.choose(version.key, version.at);
    return this.#said.value.some(is);
  }

  // does says what the agent of a task does just now.
  does(task: string) { return this.#doing.value.get(task)?.text; }

  send(text: string, files?: WaitingFile[]) {
    this.#stopping = this.working.value;
    this.outgoing.send(text, files);
    this.choices.value = "";
  }

  // command does what a button asks for. It is none of the person's words, and not
  // kept for later.
  async command(text: string) {
    try {
      this.#answered(text, await ask<Answer>(`${this.path}/messages?wait=false`, {text, message_id: `button-${Date.now()}-${Math.random()}`}), true);
    } catch (error) {
      this.#note({kind: "error", who: say("page.conversation.not_done"), text: isFinal(error) ? messageOf(error) : say("page.conversation.errand_not_reachable_try")});
    }
    this.lookWho();
  }

  stop() {
    this.#stopping = this.working.value;
    return this.command("/stop");
  }

  // lookWho finds out who answers here, and to whom the chat can be handed; a burst
  // of events asks once.
  lookWho() {
    clearTimeout(this.#looking);
    this.#looking = setTimeout(async () => {
      try {
        this.agents.value = await ask<API.AgentView[]>(`/api/agents?chat=${encodeURIComponent(this.chat)}`);
      } catch {
        // The next event tries again.
      }
    }, 150);
  }

  // --- events ----------------------------------------------------------------

  // #come takes an event that has just happened.
  #come(e: API.Event) {
    if (e.id && e.id <= this.#last || this.#isOver(e)) return;
    batch(() => {
      const whole = this.#take(e);
      if (whole?.text && e.type !== "partial") announce(`${whole.who ? `${whole.who}: ` : ""}${whole.text}`);
      if (e.type === "late" || e.type === "reply") this.tasks.told(this.#ended);
    });
    if (e.id) this.#chats.saw(e.id);
    if (["message", "reply", "late", "question", "notice"].includes(e.type)) this.#chats.heard();
    if (["reply", "question", "notice"].includes(e.type)) this.lookWho();
    if (["message", "reply", "question", "notice", "task"].includes(e.type)) this.questions.changed();
    if (e.turn && e.id && e.type !== "message" && this.plan.shown.value) this.plan.changed(); // its last change may have been missed
    if (e.type === "error" || e.type === "reply" && about.value.models?.some(model => !model.ok)) lookAbout();
  }

  // #isOver holds for a passing event of a turn that has ended.
  #isOver(e: API.Event) { return !e.id && !e.task_id && e.turn && e.turn <= (this.#over[e.session_id ?? ""] ?? 0); }

  // #take changes what is shown by one event, and returns the entry of what was said.
  #take(e: API.Event): Entry | undefined {
    if (e.turn && !this.#goesOn(e)) return undefined;
    this.plan.heard(e);
    if (e.type === "notice" && e.turn && this.live.value?.turn === e.turn) this.#keepLive(); // before what says so
    if (e.id) this.#last = e.id;
    switch (e.type) {
      case "message":
        this.outgoing.drop(e.message_id ?? "");
        if (e.cause === "taken") this.#taken(e);
        else if (e.cause) return this.#changed(e);
        else if (this.read.value && this.#busy) this.held.add({message_id: e.message_id ?? "", text: e.text ?? "", created: e.created});
        this.#waiting.value = new Map(this.#waiting.value).set(e.message_id ?? "", Date.parse(e.created));
        this.choices.value = "";
        break;
      case "step":
        if (e.plan_changed) this.plan.changed();
        if (!e.task_id) this.held.moved();
        if (e.text && !this.#ended.has(e.task_id ?? "")) this.#does(e.task_id || "turn", `${display(e.agent)}: ${e.text}`, e);
        if (e.task_id) this.tasks.changed(e.task_id);
        return undefined;
      case "delta":
        this.live.value ??= {key: `live-${++this.#count}`, turn: e.turn, session: e.session_id, kind: "reply live", who: display(e.agent), agent: e.agent, live: new LiveMarkdown()};
        this.live.value.live.add(e.text ?? "");
        return undefined;
      case "reset":
        this.live.value = null;
        return undefined;
      case "task":
        if (!e.task_id) break;
        this.tasks.changed(e.task_id);
        if (e.state && terminal(e.state)) {
          this.#ended.add(e.task_id);
          this.#does(e.task_id);
        }
        break;
      case "notice":
        if (e.turn) this.#turnOver(e);
        break;
      case "session":
        this.choices.value = ""; // its agent knows nothing of what was asked
        break;
      case "file":
        break;
      default:
        this.#turnOver(e);
    }
    let entry = this.#entry(e);
    if (!entry) return undefined;
    if (!["mine", "task", "notice", "file", "session"].includes(entry.kind)) {
      const live = this.live.value?.turn === e.turn ? this.live.value : null;
      if (live) this.live.value = null;
      if (live && e.type !== "error") {
        live.live.finish(e.text); // where it is, so that what somebody has selected stays selected
        entry = {...entry, key: live.key, live: live.live};
      }
      if (entry.options && !e.task_id || entry.ending === "length") this.choices.value = entry.key;
    }
    this.#said.value = joined(this.#said.value, entry);
    return ["mine", "task", "session"].includes(entry.kind) ? undefined : entry;
  }

  // #taken has a message that waited shown where a turn took it.
  #taken(e: API.Event) {
    this.held.drop(e.message_id ?? "");
    this.#moved.set(e.message_id ?? "", e.id ?? 0);
    this.#said.value = this.#said.value.filter(entry => entry.key !== `message-${e.message_id}` || entry.event === e.id);
  }

  // #changed has a message that waited say something else, or nothing any more.
  #changed(e: API.Event) {
    const key = `message-${e.message_id}`, gone = e.cause === "withdrawn";
    if (gone) {
      this.held.drop(e.message_id ?? "");
      this.#waiting.value = new Map([...this.#waiting.value].filter(([id]) => id !== e.message_id));
      this.#said.value = this.#said.value.filter(entry => entry.key !== key);
    } else {
      this.#said.value = this.#said.value.map(entry => entry.key === key ? {...entry, text: e.text} : entry);
    }
    this.held.moved();
    return undefined;
  }

  #turnOver(e: API.Event) {
    this.held.moved();
    const session = e.session_id ?? "";
    if (e.turn) this.#over[session] = Math.max(e.turn, this.#over[session] ?? 0);
    if (e.type !== "late") this.#waiting.value = new Map();
    if (e.turn || e.type !== "late") this.#does("turn");
  }

  // #goesOn reports whether an event is of the turn whose reply is being written, or of
  // a later one: then that reply is over. Of a turn that was interrupted nobody says so,
  // and pieces of it may still be on their way.
  #goesOn(e: API.Event) {
    const live = this.live.value;
    if (!live || live.turn === e.turn && live.session === e.session_id) return true;
    if (live.session === e.session_id && (e.turn ?? 0) < (live.turn ?? 0)) return Boolean(e.id);
    this.#keepLive();
    return true;
  }

  // #keepLive leaves what was said of a reply that does not come to its end.
  #keepLive() {
    const live = this.live.value;
    if (!live) return;
    live.live.finish();
    this.live.value = null;
    this.#said.value = [...this.#said.value, {...live, kind: "reply", turnNumber: live.turn, ending: "stopped"}];
  }

  // #entry is how an event of the log is shown; undefined if it is not, or already.
  #entry(e: API.Event): Entry | undefined {
    if (e.type === "message" && (e.cause && e.cause !== "taken" || !e.text && !e.attached)) return undefined; // it was taken back, or tells of another
    if (e.type === "message" && (this.#moved.get(e.message_id ?? "") ?? e.id) !== e.id) return undefined; // its place is further down
    if (e.type === "message") return {key: `message-${e.message_id}`, kind: "mine", text: e.text, attached: e.attached, event: e.id, at: e.created,
      replaces: e.turn && e.session_id ? {session: e.session_id, number: e.turn} : undefined};
    if (e.type === "task") {
      if (!e.task_id || this.#asked.has(e.task_id)) return undefined;
      this.#asked.add(e.task_id);
      this.tasks.changed(e.task_id);
      return {key: `task-${e.task_id}`, kind: "task", id: e.task_id, at: e.created};
    }
    const kind = kinds[e.type];
    if (!kind) return undefined;
    if (e.question_id) this.#shownLast.set(e.question_id, Math.max(e.id ?? 0, this.#shownLast.get(e.question_id) ?? 0));
    return {
      key: `event-${e.id}`, event: e.id, at: e.created, turn: turnKey(e), task: e.task_id, kind, who: speaker(e), agent: e.type === "error" ? undefined : e.agent, text: e.type === "notice" && e.turn ? say("page.message.stopped") : e.text, tools: e.tools,
      session: e.session_id, turnNumber: e.turn, options: e.options, file: e.file, question: e.question_id,
      ending: e.type === "partial" ? "stopped" : ["reply", "question", "late"].includes(e.type) ? e.cause : undefined,
    };
  }

  // #note shows what errand says to this page only.
  #note(entry: Omit<Entry, "key"> & {text: string}) {
    this.#said.value = [...this.#said.value, {key: `note-${++this.#count}`, ...entry}];
    announce(entry.text);
  }

  // #answered shows what errand says at once to a command. That a turn was stopped, or a session
  // begun, is in the log: it is not said twice.
  #answered(text: string, answer: Answer, button = false) {
    if (!answer.command) return;
    const shown = resetWords.test(text) || stopWords.test(text) && this.#stopping;
    if (!button && !shown) this.#said.value = [...this.#said.value, {key: `command-${++this.#count}`, kind: "mine", text}];
    this.lookWho();
    this.plan.changed();
    if (!shown) this.#note({kind: "notice", passing: true, text: answer.reply?.text ?? ""});
    if (stopWords.test(text)) this.#waiting.value = new Map();
  }

  // #does notes what somebody does; without it, nothing any more. A turn is waited for
  // from its first step on, whatever its model is tried with.
  #does(who: string, text?: string, e?: API.Event) {
    const doing = new Map(this.#doing.value), before = doing.get(who);
    doing.delete(who);
    if (text && e) doing.set(who, {text, turn: e.turn, since: before && before.turn === e.turn ? before.since : Date.parse(e.created)});
    this.#doing.value = doing;
  }

  // #waitsSince is when the oldest message was written that waits for an agent.
  get #waitsSince() { return Math.min(...this.#waiting.value.values(), ...this.outgoing.list.value.map(m => m.at)); }
}

// joined appends an entry. A stop is shown once: at the unfinished answer, if there is one.
function joined(list: Entry[], entry: Entry): Entry[] {
  const last = list.at(-1);
  const stopped = entry.kind === "notice" && entry.turnNumber && last?.ending === "stopped" && last.turnNumber === entry.turnNumber && last.session === entry.session;
  return stopped ? [...list.slice(0, -1), {...last, tools: entry.tools}] : [...list, entry];
}

// idOf returns the id of the message that an entry shows, and wordsOf its text. errand stores the names
// of the files as the text of a message without one.
export const idOf = (mine: Entry) => mine.key.replace("message-", "");
export const wordsOf = ({text = "", attached}: Entry) => attached && text === attached.map(({name}) => `📎 ${name}`).join("\n") ? "" : text;

// turnKey is what a task calls the turn that has told of its end.
const turnKey = (e: API.Event) => e.turn ? `turn:${e.session_id}:${e.turn}` : "";

// timed says for how long something has been so that somebody waits for.
function timed(text: string, since: number) {
  return now.value - since >= patient ? `${text} · ${elapsed(since, now.value)}` : text;
}

function speaker(e: API.Event) {
  if (e.type === "notice") return "";
  if (e.type === "error") return say("page.conversation.no_reply");
  if (e.type !== "late") return display(e.agent);
  if (e.cause === "reminder") return say("page.conversation.reminder", {agent: display(e.agent)});
  return say(e.task_id ? "page.conversation.late_result_told_by" : "page.conversation.late_result", {agent: display(e.agent)});
}
