// Files that agents keep and send.

import {html} from "../ui.js";

export function FileLink({href, name, size, note}) {
  return html`<p class="file"><a href=${href} download=${name.split("/").pop()} dir="auto">${name}</a> <span class="muted">${amount(size)}${note ? `, ${note}` : ""}</span></p>`;
}

// Files are those of a session, with what they are.
export function Files({of, files}) {
  if (!files?.length) return null;
  return html`<details class="files"><summary>${files.length === 1 ? "1 file" : `${files.length} files`}</summary>
    ${files.map(f => html`<${FileLink} key=${f.path} href=${`/api/files/${of}/content?path=${encodeURIComponent(f.path)}`} name=${f.path} size=${f.size}
      note=${f.version > 1 ? `version ${f.version}` : ""} />`)}
  </details>`;
}

function amount(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
