// A button that does something. What goes wrong is told beside it.

import {messageOf} from "../api";
import {announce} from "../stores/announcer";
import {useState} from "../ui";
import {Icon, type IconName} from "./icon";

interface ActProps {
  label: string;
  icon?: IconName;
  run: () => unknown; // it may be waited for
  end?: boolean;
  name?: string;
  describe?: string;
}

export function Act({label, icon, run, end, name = "small", describe}: ActProps) {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const click = async () => {
    if (busy) return;
    setBusy(true);
    setWrong("");
    try {
      await run();
    } catch (error) {
      setWrong(messageOf(error));
      announce(messageOf(error));
    }
    setBusy(false);
  };
  // Not disabled while it is busy: it would lose the focus.
  return <span class={end ? "act end" : "act"}>
    <button class={name} type="button" aria-disabled={busy ? "true" : undefined} aria-label={describe} onClick={click}>{icon && <Icon name={icon} />}{label}</button>
    <span class="said">{wrong}</span>
  </span>;
}
