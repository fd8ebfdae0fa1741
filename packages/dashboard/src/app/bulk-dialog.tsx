/** One command for all matching instances: first a preview, then, after a confirmation, the job. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { post } from "./api.ts";
import { Act, Dialog } from "./dialogs.tsx";
import { toWords } from "./format.ts";
import { type Filters, toBulkFilter } from "./instance-filters.ts";
import { goTo } from "./location.tsx";
import { Failure, Status } from "./parts.tsx";
import { usePoll } from "./poll.ts";
import { hasBulk, isAllowed } from "./settings.ts";
import type { BulkPreview, BulkView } from "./shapes.ts";

type ActName = BulkPreview["act"];

const STEERING: readonly ActName[] = ["retry", "restart", "pause", "resume", "cancel", "terminate"];

/** The acts that are allowed. */
const toActs = (): readonly ActName[] => [
  ...(isAllowed("steer") ? STEERING : []),
  ...(isAllowed("delete") ? (["delete"] as const) : []),
];

export const toActTitle = (act: ActName): string => act.charAt(0).toUpperCase() + act.slice(1);

interface BulkProps {
  readonly filters: Filters;
}

/** Shows nothing if no act is allowed, or without a filter, because a job for all instances is not offered. */
export function BulkButton({ filters }: BulkProps): JSX.Element | null {
  const isOpen = useSignal(false);
  if (!hasBulk || toActs().length === 0 || Object.keys(filters).length === 0) return null;
  return (
    <div class="buttons">
      <button type="button" onClick={() => (isOpen.value = true)}>
        Apply to all that match…
      </button>
      {isOpen.value ? (
        <BulkDialog filters={filters} onClose={() => (isOpen.value = false)} />
      ) : null}
    </div>
  );
}

interface BulkDialogProps extends BulkProps {
  readonly onClose: () => void;
}

function BulkDialog({ filters, onClose }: BulkDialogProps): JSX.Element {
  const acts = toActs();
  const act = useSignal<ActName>(acts[0] ?? "retry");
  return (
    <Dialog title="Apply to all that match" onClose={onClose}>
      <label>
        What
        <select
          value={act.value}
          onChange={({ currentTarget }) => (act.value = currentTarget.value as ActName)}
        >
          {acts.map((name) => (
            <option key={name} value={name}>
              {toActTitle(name)}
            </option>
          ))}
        </select>
      </label>
      <Preview key={act.value} act={act.value} filters={filters} onClose={onClose} />
    </Dialog>
  );
}

interface PreviewProps extends BulkDialogProps {
  readonly act: ActName;
}

/** What the job would do, and the button that starts it. */
function Preview({ act, filters, onClose }: PreviewProps): JSX.Element {
  const filter = toBulkFilter(filters);
  const look = (): Promise<BulkPreview> => post("/bulk/preview", {}, { act, ...filter });
  const preview = usePoll(`preview ${act}`, look, { pace: "slow" });
  const started = useSignal<BulkView | null>(null);
  const key = useMemo(createKey, []);
  const begin = async (): Promise<void> => {
    started.value =
      act === "delete"
        ? await post<BulkView>("/bulk/delete", {}, filter, key)
        : await post<BulkView>("/bulk", {}, { act, ...filter }, key);
  };
  const now = preview.data.value;
  const hasSome = now !== null && now.count > 0;
  return (
    <>
      <Failure error={preview.error.value} />
      {now === null ? (
        <p class="quiet">{preview.error.value === null ? "Counting…" : ""}</p>
      ) : (
        <Found preview={now} />
      )}
      {hasSome ? (
        <Act
          label={`${toActTitle(act)} ${toCount(now.count, now.isCapped)}`}
          isDangerous={act !== "retry" && act !== "resume" && act !== "pause"}
          act={begin}
          onClose={onClose}
          onDone={() => goTo(`/jobs/${encodeURIComponent(started.value?.id ?? "")}`)}
        />
      ) : (
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            Do nothing
          </button>
        </div>
      )}
    </>
  );
}

/** If the same request is sent again, it starts no second job. */
const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

export const toCount = (count: number, isCapped: boolean): string =>
  `${count.toLocaleString("en")}${isCapped ? "+" : ""}`;

function Found({ preview }: { readonly preview: BulkPreview }): JSX.Element {
  const { count, isCapped, refusedCount, counts, samples } = preview;
  return (
    <>
      <p class="note">
        It would be done to {toCount(count, isCapped)}
        {refusedCount === 0 ? "" : ` and refused by ${toCount(refusedCount, isCapped)}`}.
      </p>
      <ul class="plain">
        {counts.map((row) => (
          <li key={`${row.workflowName} ${row.status}`}>
            {row.workflowName}, {toWords(row.status)}: {toCount(row.count, row.isCapped)}
          </li>
        ))}
      </ul>
      {samples.length === 0 ? null : (
        <details>
          <summary>The newest {samples.length}</summary>
          <ul class="plain">
            {samples.map(({ workflowName, id, status, refusal }) => (
              <li key={`${workflowName} ${id}`}>
                <Status of={status} /> <span class="id">{id}</span>{" "}
                {refusal === null ? null : <code>{refusal}</code>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
