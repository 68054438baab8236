// A text in Markdown: a whole one, or one that is still being written.

import {type LiveMarkdown, markdown} from "../markdown";
import {useLayoutEffect, useRef} from "../ui";

export function Text({text, live}: {text: string; live?: LiveMarkdown}) {
  const at = useRef<HTMLDivElement>(null!);
  useLayoutEffect(() => { at.current.replaceChildren(live?.element ?? markdown(text)); }, [live ?? text]);
  return <div ref={at}></div>;
}
