/** Keyboard shortcuts with single keys, and the dialog that lists them. They can be turned off, for people who dictate. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Dialog } from "./dialogs.tsx";
import { goTo } from "./location.tsx";
import { PATH } from "./settings.ts";

const KEY = `escapement keys ${PATH}`;
const isOpen = signal(false);
const areOn = signal(readChoice());

function readChoice(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

function turn(on: boolean): void {
  areOn.value = on;
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // If the browser stores nothing, the choice lasts as long as the page is open.
  }
}

type Page = readonly [to: string, name: string];

export function KeysButton(): JSX.Element {
  return (
    <button
      type="button"
      class="keys-button"
      aria-label="Keys"
      title="Keys"
      onClick={() => (isOpen.value = true)}
    >
      ?
    </button>
  );
}

export function Keys({ pages }: { readonly pages: readonly Page[] }): JSX.Element | null {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (areOn.value && !isElsewhere(event) && act(event.key, pages)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [pages]);
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keys" onClose={() => (isOpen.value = false)}>
      <dl class="keys">
        <Line keys={["?"]} does="these keys" />
        {pages.map(([to, name], index) => (
          <Line key={to} keys={[String(index + 1)]} does={name} />
        ))}
        <Line keys={["/"]} does="search" />
        <Line keys={["j", "k"]} does="next and previous instance of a list" />
        <Line keys={["↓", "↑", "Home", "End"]} does="from step to step" />
        <Line keys={["Enter"]} does="open what has the focus" />
        <Line keys={["Esc"]} does="close a dialog" />
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={areOn.value}
          onChange={({ currentTarget }) => turn(currentTarget.checked)}
        />
        letters, digits and signs do this
      </label>
      <div class="buttons end">
        <button type="button" onClick={() => (isOpen.value = false)}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Line({ keys, does }: { readonly keys: readonly string[]; does: string }): JSX.Element {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}

/**
 * The key belongs to the browser, to a dialog, or to a field that takes it. A checkbox is none: that of a dialog which has just closed may still
 * have the focus.
 */
const isElsewhere = ({
  ctrlKey,
  metaKey,
  altKey,
  defaultPrevented,
  target,
}: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  defaultPrevented ||
  document.querySelector("dialog[open]") !== null ||
  (target instanceof HTMLElement &&
    target.closest("input:not([type=checkbox]), select, textarea") !== null);

/** @returns whether the key is a shortcut */
function act(key: string, pages: readonly Page[]): boolean {
  const page = /^[1-9]$/.test(key) ? pages[Number(key) - 1] : undefined;
  if (page !== undefined) goTo(page[0]);
  else if (key === "?") isOpen.value = true;
  else if (key === "/") document.querySelector<HTMLElement>("[name=q]")?.focus();
  else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
  else return false;
  return true;
}

/** From the focused item to the next, or to the first. */
function step(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("main td a.id")];
  const at = links.findIndex((link) => link === document.activeElement);
  links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
}
