// Where one writes, and stops.

import {html, useEffect, useRef, useState} from "../ui.js";

// With a keyboard on the screen there is no Shift+Enter: Enter makes a new line.
const touch = matchMedia("(pointer: coarse)");

// base64 is what a file has in it.
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

export function Composer({conversation, send}) {
  const form = useRef(), text = useRef(), picker = useRef();
  const [files, setFiles] = useState([]); // {name, data}, data in base64
  const draft = `draft:${conversation.chat}`;
  const working = conversation.working.value;

  useEffect(() => {
    text.current.value ||= sessionStorage.getItem(draft) ?? "";
    const escape = event => { if (event.key === "Escape" && conversation.working.value) conversation.stop(); };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, []);

  const submit = event => {
    event.preventDefault();
    const body = text.current.value.trim();
    if (!body && files.length === 0) return;
    text.current.value = "";
    sessionStorage.removeItem(draft);
    send(body, files);
    setFiles([]);
    text.current.focus();
  };
  const add = async list => {
    const read = await Promise.all([...list].map(async file => ({name: file.name, data: await base64(file)})));
    setFiles(before => [...before, ...read]);
    text.current.focus();
  };
  const paste = event => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const key = event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || touch.matches) return;
    event.preventDefault();
    form.current.requestSubmit();
  };
  return html`<form id="form" ref=${form} onSubmit=${submit}>
    ${files.length > 0 && html`<div class="attached">${files.map(file => html`<button key=${file} class="small" type="button"
      aria-label=${`Remove ${file.name}`} onClick=${() => setFiles(files.filter(f => f !== file))}>${file.name} ✕</button>`)}</div>`}
    <input type="file" id="files" class="hidden" multiple tabindex="-1" aria-hidden="true" ref=${picker}
      onChange=${event => { add(event.target.files); event.target.value = ""; }} />
    <button type="button" id="attach" aria-label="Attach a picture or another file" title="Attach a picture or another file" onClick=${() => picker.current.click()}>+</button>
    <label for="text" class="hidden">Message</label>
    <textarea id="text" rows="1" dir="auto" placeholder="Message" autocomplete="off" ref=${text}
      title=${touch.matches ? undefined : "Enter sends, Shift+Enter makes a new line"} enterkeyhint=${touch.matches ? "enter" : "send"}
      onInput=${event => sessionStorage.setItem(draft, event.target.value)} onKeyDown=${key} onPaste=${paste}></textarea>
    <button type="submit" id="send">Send</button>
    ${working && html`<button type="button" id="stop" title="Escape" onClick=${() => conversation.stop()}>Stop</button>`}
  </form>`;
}
