// Work that may take longer than a frame, done in turns between the frames.

// A Job yields wherever it can be interrupted.
export type Job = Generator<void, void>;

const budget = 8; // ms of a turn
const jobs: Job[] = [];
const waiting: (() => void)[] = []; // for an end of them
let busy = false;

// painted resolves when the page has been painted next; at once in a tab that
// nobody looks at, which is not painted.
export const painted = () => new Promise<void>(resolve => document.hidden ? setTimeout(resolve) : requestAnimationFrame(() => setTimeout(resolve)));

// enqueue takes a job. If nothing else waits, its first turn is now.
export function enqueue(job: Job) {
  jobs.push(job);
  if (busy) return;
  busy = true;
  turn();
}

function turn() {
  const end = performance.now() + budget;
  do {
    try {
      if (jobs[0].next().done) jobs.shift();
    } catch (error) {
      console.error(error); // what it was to replace stays
      jobs.shift();
    }
  } while (jobs.length && performance.now() < end);
  if (jobs.length) painted().then(turn);
  else {
    busy = false;
    for (const resolve of waiting.splice(0)) resolve();
  }
}

// rested resolves when nothing is to be done.
export const rested = () => new Promise<void>(resolve => busy ? waiting.push(resolve) : resolve());
