// Files that agents keep and send, and that people send.

import type * as API from "../api_types";
import {about, may} from "../stores/account";
import type {WaitingFile as Waits} from "../stores/files";
import {previewed} from "../stores/work";
import {useState} from "../ui";
import {language, say} from "../words";
import type {IconName} from "./icon";

// What browsers show and what cannot do anything: drawings with scripts are links.
const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const mostShown = 8e6; // bytes of a picture that is shown by itself

export const isPicture = ({type, size}: {type: string; size: number}) => pictures.includes(type) && size <= mostShown;

// kindOf is how what is in a file is shown: "" for what only another program can show. What a
// browser could run, such as HTML and drawings, is text.
export function kindOf({name, type, size}: {name: string; type: string; size: number}) {
  const end = name.split(".").pop()?.toLowerCase() ?? "";
  if (isPicture({type, size})) return "picture";
  if (["md", "markdown"].includes(end)) return "markdown";
  if (["csv", "tsv"].includes(end)) return "table";
  return /^text\/|[/+](json|xml|yaml|javascript|x-sh)\b/.test(type) ? "text" : "";
}

export const iconOf = (file: {name: string; type: string; size: number}): IconName =>
  file.type.startsWith("image/") ? "image" : kindOf(file) === "table" ? "sheet" : /\.(c|cpp|css|go|html?|java|js|json|py|rs|sh|sql|tsx?|xml|ya?ml)$/i.test(file.name) ? "fileCode" : "fileText";

interface LinkProps {
  href: string;
  name: string;
  size: number;
  type: string;
  note?: string;
  inList?: boolean; // then a picture is shown only when it is opened
}

// FileLink opens a file before the page.
export function FileLink({href, name, size, note, type, inList}: LinkProps) {
  const [broken, setBroken] = useState(false), short = name.split("/").pop();
  const shown = !inList && isPicture({type, size}) && !broken;
  const open = (event: Event) => {
    event.preventDefault();
    previewed.value = {name, href, size, type, by: note};
  };
  return <div class="file">
    {shown && <a class="preview" href={href} download={short} tabindex={-1} aria-hidden="true" onClick={open}><img src={href} alt="" loading="lazy" onError={() => setBroken(true)} /></a>}
    <a href={href} download={short} dir="auto" onClick={open}>{name}</a> <span class="muted">{amount(size)}{note ? `, ${note}` : ""}</span></div>;
}

// WaitingFile shows a file that errand does not have yet.
export function WaitingFile({name, data}: Waits) {
  const type = typeOf(data);
  return <>{type && data.length <= mostShown && <img class="preview" src={`data:${type};base64,${data}`} alt="" />}<span dir="auto">{name}</span></>;
}

// Blind is the note beside a picture that the agent's model cannot see it.
export function Blind({agent, link}: {agent?: string; link?: boolean}) {
  const model = about.value.models?.find(m => agent && m.agents?.includes(agent));
  if (!model || model.vision) return null;
  return <span class="blind" lang={language}>{say("page.file.cannot_see", {model: model.name || model.model})}{link && may("GET /models") && <> <a href="/models">{say("page.header.models")}</a></>}</span>;
}

// typeOf is that of a picture, by how it begins; empty for all else.
export function typeOf(data: string) {
  if (data.startsWith("iVBORw0KGgo")) return "image/png";
  if (data.startsWith("/9j/")) return "image/jpeg";
  if (data.startsWith("R0lGOD")) return "image/gif";
  return data.startsWith("UklGR") && data.slice(12, 16) === "RUJQ" ? "image/webp" : "";
}

// Files are those of a session, with what they are.
export function Files({of, files}: {of: string; files?: API.File[]}) {
  if (!files?.length) return null;
  return <details class="files"><summary>{say("page.work.files")} <span class="n">{files.length}</span></summary>
    {files.map(f => <FileLink key={f.path} href={`/api/files/${of}/content?path=${encodeURIComponent(f.path)}`} name={f.path} size={f.size} type={f.type} inList
      note={f.version > 1 ? say("page.file.version", {n: f.version}) : ""} />)}
  </details>;
}

export function amount(bytes: number) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
