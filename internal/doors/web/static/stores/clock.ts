// The time, for what counts seconds.

import {signal} from "../ui";

export const now = signal(Date.now());

setInterval(() => { now.value = Date.now(); }, 1000);
