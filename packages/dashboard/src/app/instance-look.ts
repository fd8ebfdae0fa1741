/** One look at an instance: its state, its history, why it does not move, and its description. */
import { ApiError, get, getFresh } from "./api.ts";
import type { HistoryReader, HistoryShown } from "./history.ts";
import type { Description, Explanation, View } from "./shapes.ts";

/** The data of an instance; null: the server does not provide it. */
export interface Shown {
  readonly view: View;
  readonly history: HistoryShown;
  readonly explanation: Explanation | null;
  readonly description: Description | null;
}

/** A history stays the same object while nothing in it changes. The time of the look does not count. */
export const isSameShown = (left: Shown, right: Shown): boolean =>
  left.history === right.history && isSame(toCompared(left), toCompared(right));

const toCompared = ({ view, explanation, description }: Shown): unknown => [
  view,
  explanation,
  description === null ? null : { ...description, now: 0 },
];

const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

/** If the state does not change, the explanation is read only at every so many looks. */
const EXPLAINED_EVERY = 5;

/** @param path of the instance */
export function createLook(
  path: string,
  reader: HistoryReader,
): (signal: AbortSignal) => Promise<Shown> {
  let before: Shown | null = null;
  let looks = 0;
  const explain = createQuestion<Explanation>(`${path}/explain`);
  const describe = createQuestion<Description>(`${path}/describe`);
  const lookFirst = async (signal: AbortSignal): Promise<Shown> => {
    const [view, history, explanation, description] = await Promise.all([
      get<View>(path, {}, signal),
      reader.look(signal),
      explain(signal),
      describe(signal),
    ]);
    return { view, history, explanation, description };
  };
  const lookAgain = async (last: Shown, signal: AbortSignal): Promise<Shown> => {
    const view = await get<View>(path, {}, signal);
    const { details } = view;
    const was = last.view.details;
    const isChanged = !isSame(was, details);
    // An ended instance continues, so settled steps may be open again.
    const isOther = was.runNumber !== details.runNumber || was.status !== details.status;
    if (isChanged && (was.error !== undefined || isOther)) reader.reset();
    const history = await reader.look(signal);
    // While the state stays the same, the explanation rarely changes.
    const isDue = isChanged || looks % EXPLAINED_EVERY === 0;
    const hasNews = isDue || (history !== last.history && !last.history.isPartial);
    const [explanation, description] = await Promise.all([
      isDue ? explain(signal) : last.explanation,
      hasNews ? describe(signal) : last.description,
    ]);
    return { view, history, explanation, description };
  };
  /** The state may have been read just before a restart, and the history after it. */
  const catchUp = async (shown: Shown, signal: AbortSignal): Promise<Shown> =>
    shown.history.runNumber > shown.view.details.runNumber
      ? { ...shown, view: await getFresh<View>(path, signal) }
      : shown;
  return async (signal) => {
    looks += 1;
    // The first look reads everything at once; later ones depend on what was seen before.
    const shown = await (before === null ? lookFirst(signal) : lookAgain(before, signal));
    return (before = await catchUp(shown, signal));
  };
}

/** Asks for something that a server need not offer. After a refusal, it does not ask again. */
function createQuestion<Answer>(path: string): (signal: AbortSignal) => Promise<Answer | null> {
  let isTold = true;
  return async (signal) => {
    try {
      return isTold ? await get<Answer>(path, {}, signal) : null;
    } catch (caught) {
      if (signal.aborted) throw caught;
      if (caught instanceof ApiError && caught.status >= 400) isTold = false;
      return null;
    }
  };
}
