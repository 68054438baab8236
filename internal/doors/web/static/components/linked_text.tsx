// A text in which the names of files are links that open the file before the page.

import {literal} from "../api";
import type {LiveMarkdown} from "../markdown";
import {make} from "../markdown/make";
import type {Conversation} from "../stores/conversation";
import {type ChatFile, previewed, workOf} from "../stores/work";
import {useEffect, useLayoutEffect, useRef} from "../ui";
import {Text as Markdown} from "./text";

// ChatText is a text of a chat, which may name the files of the chat. While it is being written,
// it has no links.
export function ChatText({text, live, conversation, open}: {text: string; live?: LiveMarkdown; conversation: Conversation; open?: boolean}) {
  const work = workOf(conversation), names = !open && mentions(text || live?.text || "");
  useEffect(() => { if (names) work.changed(); }, [names]);
  return <LinkedText text={text} live={live} files={names ? work.files.value : none} />;
}

const none: ChatFile[] = [];

// mentions reports whether a text may name a file.
const mentions = (text: string) => /[\p{L}\p{N}_-]\.[a-z][a-z0-9]{0,7}\b/iu.test(text);

export function LinkedText({text, live, files}: {text: string; live?: LiveMarkdown; files: ChatFile[]}) {
  const at = useRef<HTMLDivElement>(null!);
  useLayoutEffect(() => {
    if (!files.length) return;
    const link = () => linkFiles(at.current, files), shown = new MutationObserver(link); // long texts are shown piece by piece
    link();
    shown.observe(at.current, {childList: true, subtree: true});
    return () => shown.disconnect();
  }, [text, files]);
  return <div ref={at}><Markdown text={text} live={live} /></div>;
}

// A file is named by its path, or by the last part of it, of which the latest file counts.
function linkFiles(within: Element, files: ChatFile[]) {
  const named = new Map(files.toReversed().flatMap(file => [[file.name.split("/").pop() ?? "", file], [file.name, file]] as const));
  const names = [...named.keys()].filter(name => name.length > 3).sort((a, b) => b.length - a.length).map(literal);
  if (!names.length) return;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_./-])(${names.join("|")})(?![\\p{L}\\p{N}_/-]|\\.[\\p{L}\\p{N}])`, "u");
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT), found: Text[] = [];
  while (texts.nextNode()) if (!texts.currentNode.parentElement?.closest("a, pre")) found.push(texts.currentNode as Text);
  for (const node of found) {
    const parts = node.data.split(pattern);
    if (parts.length > 1) node.replaceWith(...parts.map((part, i) => i % 2 ? link(part, named.get(part)!) : part)); // what was found is at the odd places
  }
}

function link(name: string, file: ChatFile) {
  const a = make("a", {class: "file-link", href: file.href, download: file.name.split("/").pop()}, name);
  a.addEventListener("click", event => {
    event.preventDefault();
    previewed.value = file;
  });
  return a;
}
