/** Commands for an instance, each with a confirmation. */
import type { JSX } from "preact";
import { instancePath, post, remove } from "./api.ts";
import { Act, Dialog } from "./dialogs.tsx";
import { type Target, toSeen, toTitle } from "./seen.ts";
import { isAllowed } from "./settings.ts";
import { isEnded } from "./shapes.ts";

/** An open question. */
export interface Question {
  readonly verb: string;
  readonly title: string;
  readonly text: string;
  /** For a rewind. */
  readonly stepKey?: string;
  /** For a retry: the key of the step that it goes back to. */
  readonly from?: string;
  readonly isDangerous?: true;
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  pause: {
    verb: "pause",
    title: "Pause",
    text: "It stops after the current step, until it is resumed.",
  },
  resume: { verb: "resume", title: "Resume", text: "It continues where it was paused." },
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
    text: "It continues with the step that failed; completed steps stay completed.",
  },
  restart: {
    verb: "restart",
    title: "Restart",
    text: "It starts again as a new run: every step runs again.",
    isDangerous: true,
  },
  delete: {
    verb: "delete",
    title: "Delete",
    text: "It is deleted for good, with all its runs, its events and the children that it started.",
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
  const steering = isAllowed("steer") ? verbsFor(status) : [];
  const verbs = isAllowed("delete") && isEnded(status) ? [...steering, "delete"] : steering;
  if (verbs.length === 0) return null;
  return (
    <div class="buttons" role="group" aria-label="Actions">
      {verbs.map((verb) => {
        const question = QUESTIONS[verb];
        if (question === undefined) return null;
        return (
          <button
            key={verb}
            type="button"
            class={question.isDangerous ? "danger" : verb === "retry" ? "primary" : ""}
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
  text: `${toBack(stepKey)}, with new idempotency keys: services do their work again.`,
  stepKey,
  isDangerous: true,
});

export const toRetryFrom = (stepKey: string): Question => ({
  verb: "retry",
  title: "Retry",
  text: `${toBack(stepKey)}, with the same idempotency keys: services that know a key do not do that work again.`,
  from: stepKey,
  isDangerous: true,
});

const toBack = (stepKey: string): string =>
  `The run goes back to the step ${stepKey}: that step and everything after it runs again`;

interface ConfirmProps {
  readonly question: Question;
  readonly target: Target;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks for confirmation, and sends the command. A refusal is shown in place. */
export function Confirm({ question, target, onClose, onDone }: ConfirmProps): JSX.Element {
  const { title, text, isDangerous } = question;
  return (
    <Dialog title={`${title} ${toTitle(target)}?`} onClose={onClose}>
      <p>{text}</p>
      <Act
        label={title}
        isDangerous={isDangerous === true}
        act={() => send(question, target)}
        onClose={onClose}
        onDone={onDone}
      />
    </Dialog>
  );
}

/** Sends the command, for the run and the state that the user has seen. */
async function send({ verb, stepKey, from }: Question, target: Target): Promise<unknown> {
  const path = instancePath(target.workflowName, target.id);
  const isOfStatus = verb === "delete" || verb === "restart" || stepKey !== undefined;
  const seen = toSeen(target, isOfStatus);
  if (verb === "delete") return remove(path, seen);
  const body = stepKey === undefined ? undefined : { step: stepKey };
  return post(`${path}/${verb}`, { ...seen, from }, body);
}
