/** Dialogs: a question, and the button that carries it out. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "./api.ts";
import { Failure } from "./parts.tsx";

interface ActProps {
  readonly label: string;
  readonly isDangerous: boolean;
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The buttons of a question. A refusal is shown in place. */
export function Act({ label, isDangerous, act, onClose, onDone }: ActProps): JSX.Element {
  const error = useSignal<ApiError | null>(null);
  const isBusy = useSignal(false);
  const run = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await act();
      onDone();
    } catch (caught) {
      const message = caught instanceof Error ? caught.message : String(caught);
      error.value = caught instanceof ApiError ? caught : new ApiError(0, "NOT_SENT", message);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <Failure error={error.value} />
      <div class="buttons end">
        <button type="button" onClick={onClose}>
          Do nothing
        </button>
        <button
          type="button"
          class={isDangerous ? "danger solid" : "primary"}
          disabled={isBusy.value}
          onClick={() => void run()}
        >
          {label}
        </button>
      </div>
    </>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Keeps the focus while it is open, and returns it when it closes. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} aria-labelledby="question" onClose={onClose}>
      <h2 id="question">{title}</h2>
      {children}
    </dialog>
  );
}
