// What components are written with: Preact with its hooks and signals, and htm,
// which reads in the browser what a build step would read elsewhere.

import {h} from "./vendor/preact/preact.mjs";
import htm from "./vendor/preact/htm.mjs";

export {render} from "./vendor/preact/preact.mjs";
export {useEffect, useLayoutEffect, useMemo, useRef, useState} from "./vendor/preact/hooks.mjs";
export {batch, computed, effect, signal} from "./vendor/preact/signals.mjs";

export const html = htm.bind(h);
