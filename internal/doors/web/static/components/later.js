// What is not there when the page is first painted: its module is loaded when it is shown.

import {html, useEffect, useState} from "../ui.js";

export function later(load, name) {
  let found = null;
  return function Later(props) {
    const [, setThere] = useState(found !== null);
    useEffect(() => {
      if (!found) load().then(module => { found = module[name]; setThere(true); }).catch(error => console.warn("A part of the page is missing:", error));
    }, []);
    return found && html`<${found} ...${props} />`;
  };
}
