// What components are written with: Preact with its hooks and signals.

export {Fragment, render} from "preact";
export type {ComponentChildren, ComponentType} from "preact";
export {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
export {batch, computed, effect, signal} from "@preact/signals";
export type {ReadonlySignal, Signal} from "@preact/signals";

// touch matches where people type on a screen: Enter begins a new line there.
export const touch = matchMedia("(pointer: coarse)");
