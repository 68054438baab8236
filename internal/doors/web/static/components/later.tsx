// What is not there when the page is first painted: its module is loaded when it is shown.

import {type ComponentType, useEffect, useState} from "../ui";

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let Found: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const [, setThere] = useState(Found !== null);
    useEffect(() => {
      if (!Found) load().then(found => { Found = found; setThere(true); }).catch(error => console.warn("A part of the page is missing:", error));
    }, []);
    return Found && <Found {...props} />;
  };
}
