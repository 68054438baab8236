// Versions of a turn. A person replaces their last turn with *Try again* or *Edit*. The log keeps all
// versions. The chat shows one, at first the newest.

import type {Entry} from "./conversation";

// A Turn is a message of the person with the answer to it.
interface Turn {
  mine: Entry;
  said: Entry[];
}

// A Version says which version of a turn is shown; the oldest is 1.
export interface Version {
  key: string; // key of the oldest version's message
  at: number;
  of: number;
}

const isOf = (session: string | undefined, turn: number | undefined) => (entry: Entry) => entry.session === session && entry.turnNumber === turn;
const isMine = (entry: Entry) => entry.kind === "mine" && entry.event !== undefined;

// turnIn returns the entries of a turn after its message: what the agent said, and the tasks that it started before.
function turnIn(entries: Entry[], mine: Entry, isSaid: (entry: Entry) => boolean) {
  const from = entries.indexOf(mine), to = entries.findLastIndex(isSaid);
  return entries.filter((entry, i) => isSaid(entry) || entry.kind === "task" && i > from && i < to);
}

// grouped takes replaced turns out of entries, and returns them by the message that replaced them.
function grouped(entries: Entry[]) {
  const earlier = new Map<Entry, Turn[]>();
  let shown: Entry[] = [];
  for (const entry of entries) {
    const turn = entry.replaces, isSaid = isOf(turn?.session, turn?.number), answer = turn ? shown.findIndex(isSaid) : -1;
    const at = shown.findLastIndex((e, i) => isMine(e) && (answer < 0 || i < answer)); // others may have waited since
    if (turn && at >= 0) {
      const mine = shown[at], said = turnIn(shown, mine, isSaid);
      shown = shown.filter(e => e !== mine && !said.includes(e));
      earlier.set(entry, [...earlier.get(mine) ?? [], {mine, said}]);
    }
    shown.push(entry);
  }
  return {earlier, shown};
}

// chosen returns entries with one version of each turn: the newest, or the version in wanted, by the key
// of the oldest. The last entry of each turn has its Version.
export function chosen(entries: Entry[], wanted: Map<string, number>): Entry[] {
  if (!entries.some(entry => entry.replaces)) return entries;
  const {earlier, shown} = grouped(entries);
  for (const [mine, turns] of earlier) {
    const at = shown.indexOf(mine);
    if (at < 0) continue; // a later version has replaced it
    const next = shown.findIndex((entry, i) => i > at && isMine(entry)), rest = shown.slice(at + 1, next < 0 ? undefined : next);
    const answer = rest.find(entry => entry.turnNumber), said = answer ? turnIn([mine, ...rest], mine, isOf(answer.session, answer.turnNumber)) : [];
    const of = turns.length + 1, key = turns[0].mine.key, version = {key, at: Math.min(wanted.get(key) ?? of, of), of};
    const turn = turns[version.at - 1] ?? {mine, said};
    const rows = [turn.mine, ...turn.said].map((entry, i, all) => i === all.length - 1 ? {...entry, version} : entry);
    shown.splice(at, 1, ...rows);
    for (const entry of said) shown.splice(shown.indexOf(entry, at + rows.length), 1);
  }
  return shown;
}

// versionOf returns the earlier version that an entry belongs to, if any.
export function versionOf(entries: Entry[], is: (entry: Entry) => boolean): Version | undefined {
  for (const turns of grouped(entries).earlier.values()) {
    const at = turns.findIndex(({mine, said}) => [mine, ...said].some(is)) + 1;
    if (at) return {key: turns[0].mine.key, at, of: turns.length + 1};
  }
  return undefined;
}
