/** The dialogs of an instance's page. */
import type { JSX } from "preact";
import { Confirm, type Question } from "./actions.tsx";
import { Fork, SendEvent } from "./forms.tsx";
import type { HistoryShown } from "./history.ts";
import type { Shown } from "./instance-look.ts";
import { goTo, toInstance } from "./location.tsx";
import type { Target } from "./seen.ts";
import { isSettled } from "./shapes.ts";

/** What the user chose. */
export type Choice = Question | "event" | { readonly forkAt: string };

/** An open dialog. */
export interface Asked {
  readonly choice: Choice;
  /** The run that was shown then. It stays the same, whatever the page reads while the dialog is open. */
  readonly target: Target;
  /** The types of events that the run waited for. */
  readonly awaited: readonly string[];
}

/** @param shown with the present run */
export function toAsked(
  choice: Choice,
  { workflowName, id }: Pick<Target, "workflowName" | "id">,
  { view, history }: Shown,
): Asked {
  const { runNumber, status } = view.details;
  return {
    choice,
    target: { workflowName, id, runNumber, status },
    awaited: toAwaited(history),
  };
}

const toAwaited = ({ steps }: HistoryShown): string[] => [
  ...new Set(
    steps.flatMap((step) =>
      step.type === "waitForEvent" && !isSettled(step) && step.waitEventType !== null
        ? [step.waitEventType]
        : [],
    ),
  ),
];

interface AskedDialogProps {
  readonly asked: Asked | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function AskedDialog({ asked, onClose, onDone }: AskedDialogProps): JSX.Element | null {
  if (asked === null) return null;
  const { choice, target, awaited } = asked;
  const props = { target, onClose, onDone };
  if (choice === "event") return <SendEvent awaited={awaited} {...props} />;
  if ("verb" in choice) return <Confirm question={choice} {...props} />;
  const toFork = (id: string): void => goTo(toInstance(target.workflowName, id));
  return <Fork stepKey={choice.forkAt} target={target} onClose={onClose} onForked={toFork} />;
}
