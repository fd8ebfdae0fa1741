/** What may be done to an instance, each after a question. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, instancePath, post } from "./api.ts";
import { Failure } from "./parts.tsx";
import { isAllowed } from "./settings.ts";
import { isEnded } from "./shapes.ts";

/** A question that is open. */
export interface Question {
  readonly verb: string;
  readonly title: string;
  readonly text: string;
  readonly stepKey?: string;
  readonly isDangerous?: true;
}

interface Target {
  readonly workflowName: string;
  readonly id: string;
  /** The run that is looked at: another one is left alone. */
  readonly runNumber: number;
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  pause: {
    verb: "pause",
    title: "Pause",
    text: "It stops after the step that is under way, until it is resumed.",
  },
  resume: { verb: "resume", title: "Resume", text: "It goes on where it was paused." },
  cancel: {
    verb: "cancel",
    title: "Cancel",
    text: "It is asked to end, and may clean up before it does.",
    isDangerous: true,
  },
  terminate: {
    verb: "terminate",
    title: "Terminate",
    text: "It ends at once, without cleaning up.",
    isDangerous: true,
  },
  retry: {
    verb: "retry",
    title: "Retry",
    text: "It goes on from what failed; what was done stays done.",
  },
  restart: {
    verb: "restart",
    title: "Restart",
    text: "It begins again from the start, as a new run: every step is done again.",
    isDangerous: true,
  },
};

/** @param status of the instance */
function verbsFor(status: string): readonly string[] {
  if (status === "errored") return ["retry", "restart"];
  if (isEnded(status)) return ["restart"];
  const pausing = status === "paused" || status === "waitingForPause" ? "resume" : "pause";
  return [pausing, "cancel", "terminate", "restart"];
}

interface ActionsProps {
  readonly status: string;
  readonly onAsk: (question: Question) => void;
}

export function Actions({ status, onAsk }: ActionsProps): JSX.Element | null {
  if (!isAllowed("steer")) return null;
  return (
    <div class="buttons" role="group" aria-label="Actions">
      {verbsFor(status).map((verb) => {
        const question = QUESTIONS[verb];
        if (question === undefined) return null;
        return (
          <button
            key={verb}
            type="button"
            class={question.isDangerous ? "danger" : ""}
            onClick={() => onAsk(question)}
          >
            {question.title}…
          </button>
        );
      })}
    </div>
  );
}

export const toRewind = (stepKey: string): Question => ({
  verb: "rewind",
  title: "Rewind",
  text: `The run goes back to the step ${stepKey}: it, and all that came after it, is done again.`,
  stepKey,
  isDangerous: true,
});

interface ConfirmProps {
  readonly question: Question;
  readonly target: Target;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks, and does it. What the server refuses is said in place. */
export function Confirm({ question, target, onClose, onDone }: ConfirmProps): JSX.Element {
  const { verb, title, text, stepKey, isDangerous } = question;
  const act = (): Promise<unknown> =>
    post(
      `${instancePath(target.workflowName, target.id)}/${verb}`,
      { ifRunNumber: target.runNumber },
      stepKey === undefined ? undefined : { step: stepKey },
    );
  return (
    <Dialog title={`${title} ${target.id}?`} onClose={onClose}>
      <p>{text}</p>
      <Act
        label={title}
        isDangerous={isDangerous === true}
        act={act}
        onClose={onClose}
        onDone={onDone}
      />
    </Dialog>
  );
}

interface ActProps {
  readonly label: string;
  readonly isDangerous: boolean;
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Act({ label, isDangerous, act, onClose, onDone }: ActProps): JSX.Element {
  const error = useSignal<ApiError | null>(null);
  const isBusy = useSignal(false);
  const run = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await act();
      onDone();
    } catch (caught) {
      error.value =
        caught instanceof ApiError ? caught : new ApiError(0, "NOT_SENT", String(caught));
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

function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} aria-labelledby="question" onClose={onClose}>
      <h2 id="question">{title}</h2>
      {children}
    </dialog>
  );
}

/** A form for an event, its payload in JSON. */
export function SendEvent({
  target,
  onClose,
  onDone,
}: Omit<ConfirmProps, "question">): JSX.Element {
  const type = useSignal("");
  const payload = useSignal("");
  const act = (): Promise<unknown> => {
    const body: { type: string; payload?: unknown } = { type: type.value.trim() };
    if (payload.value.trim() !== "") body.payload = JSON.parse(payload.value) as unknown;
    return post(`${instancePath(target.workflowName, target.id)}/events`, {}, body);
  };
  return (
    <Dialog title={`Send an event to ${target.id}`} onClose={onClose}>
      <label>
        Type
        <input
          value={type.value}
          onInput={({ currentTarget }) => (type.value = currentTarget.value)}
        />
      </label>
      <label>
        Payload, as JSON
        <textarea
          rows={6}
          spellcheck={false}
          value={payload.value}
          onInput={({ currentTarget }) => (payload.value = currentTarget.value)}
        />
      </label>
      <Act label="Send" isDangerous={false} act={act} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}
