// A file before the page: text, Markdown, a table or a picture is shown; any other file can only be
// downloaded. Nothing in a file becomes markup or runs.

import {messageOf, moment} from "../api";
import {readText, rowsOf} from "../stores/preview";
import {type ChatFile, previewed} from "../stores/work";
import {useEffect, useRef, useState} from "../ui";
import {language, say} from "../words";
import {amount, kindOf} from "./file";
import {Icon} from "./icon";
import {useModal} from "./modal";
import {Text} from "./text";

export const FilePreview = () => previewed.value && <Preview key={previewed.value.href} file={previewed.value} />;

function Preview({file}: {file: ChatFile}) {
  const dialog = useRef<HTMLDialogElement>(null!), short = file.name.split("/").pop();
  useModal(dialog);
  return <dialog class="preview-dialog" lang={language} aria-label={file.name} ref={dialog} onClose={() => { if (previewed.value === file) previewed.value = null; }}
      onClick={event => { if (event.target === dialog.current) dialog.current.close(); }}>
    <div class="work-head"><h2 dir="auto">{short}</h2>
      <a class="button icon-only" href={file.href} download={short} aria-label={say("page.preview.download", {name: short})}><Icon name="download" /></a>
      <button class="icon-only" type="button" aria-label={say("page.close")} onClick={() => dialog.current.close()}><Icon name="x" /></button></div>
    <p class="muted" dir="auto">{[file.name === short ? "" : file.name, file.by, moment(file.created), amount(file.size)].filter(Boolean).join(" · ")}</p>
    <Content file={file} />
  </dialog>;
}

function Content({file}: {file: ChatFile}) {
  const kind = kindOf(file), [read, setRead] = useState<{text: string; more: boolean} | null>(null), [wrong, setWrong] = useState("");
  useEffect(() => {
    if (kind && kind !== "picture") readText(file.href).then(setRead, error => setWrong(messageOf(error)));
  }, []);
  if (wrong) return <p class="said">{wrong}</p>;
  if (!kind) return <p>{say("page.preview.no_preview")}</p>;
  if (kind === "picture") return <img src={file.href} alt={file.name} onError={() => setWrong(say("page.preview.no_preview"))} />;
  if (!read) return <p>…</p>;
  const table = kind === "table" ? rowsOf(read.text) : null;
  return (
    <>
      {table ? <Table rows={table.rows} name={file.name} /> : kind === "markdown" ? <Text text={read.text} /> : <pre tabindex={0} dir="auto">{read.text}</pre>}
      {(read.more || table?.more) && <p class="muted">{say("page.preview.only_the_beginning")}</p>}
    </>
  );
}

function Table({rows: [head = [], ...rows], name}: {rows: string[][]; name: string}) {
  return <div class="rows-scroll" tabindex={0} role="region" aria-label={name}><table>
    <thead><tr>{head.map((cell, i) => <th key={i} scope="col">{cell}</th>)}</tr></thead>
    <tbody>{rows.map((row, i) => <tr key={i}>{row.map((cell, i) => <td key={i} class={/^[-+]?[\d.,\s]+%?$/.test(cell) ? "num" : undefined}>{cell}</td>)}</tr>)}</tbody>
  </table></div>;
}
