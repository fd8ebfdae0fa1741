/** Small components that several pages share. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { ApiError } from "./api.ts";
import { now } from "./clock.ts";
import { toInstant, toJson, toRelative, toWords } from "./format.ts";
import type { ErrorShown } from "./shapes.ts";

export function Status({ of }: { readonly of: string }): JSX.Element {
  return <span class={`pill is-${of}`}>{toWords(of)}</span>;
}

export function Instant({ at }: { readonly at: number }): JSX.Element {
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={`${toInstant(at)} (${new Date(at).toISOString()})`}
    >
      {toRelative(at, Math.max(now.value, Date.now()))}
    </time>
  );
}

export function Failure({ error }: { readonly error: ApiError | null }): JSX.Element | null {
  if (error === null) return null;
  return (
    <p class="failure" role="alert">
      <code>{error.code}</code> {error.message}
    </p>
  );
}

/** Shown until the first answer. */
export function Loading({ error }: { readonly error: ApiError | null }): JSX.Element | null {
  return error === null ? <p class="quiet loading">Looking…</p> : null;
}

/** An error of a run or of a step. Everything in it is shown as text. */
export function ErrorBox({ error }: { readonly error: ErrorShown }): JSX.Element {
  return (
    <div class="error-box">
      <p>
        {error.code === null ? null : (
          <>
            <code>{error.code}</code>{" "}
          </>
        )}
        <strong>{error.name}</strong>: {error.message}
      </p>
      {error.stack === null ? null : (
        <details>
          <summary>Stack</summary>
          <pre tabIndex={0}>{error.stack}</pre>
        </details>
      )}
      {error.details === null ? null : (
        <details>
          <summary>Details</summary>
          <pre tabIndex={0}>{toJson(error.details)}</pre>
        </details>
      )}
      {error.cause === null ? null : (
        <details>
          <summary>Cause</summary>
          <ErrorBox error={error.cause} />
        </details>
      )}
    </div>
  );
}

export function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface RevealProps {
  readonly what: string;
  /** Loads it from the server. */
  readonly load: () => Promise<unknown>;
}

/** A value that is loaded when the user wants to see it. */
export function Reveal({ what, load }: RevealProps): JSX.Element {
  const shown = useSignal<string | null>(null);
  const error = useSignal<ApiError | null>(null);
  const reveal = async (): Promise<void> => {
    try {
      error.value = null;
      shown.value = toJson(await load());
    } catch (caught) {
      error.value = caught instanceof ApiError ? caught : new ApiError(0, "OFFLINE", "No answer.");
    }
  };
  return (
    <div class="reveal">
      {shown.value === null ? (
        <button type="button" onClick={() => void reveal()}>
          Show {what}
        </button>
      ) : (
        <>
          <button type="button" onClick={() => (shown.value = null)}>
            Hide {what}
          </button>
          <pre tabIndex={0}>{shown.value}</pre>
        </>
      )}
      <Failure error={error.value} />
    </div>
  );
}

interface CopyProps {
  readonly what: string;
  readonly text: () => string;
}

/** Copies a text, if the browser allows it. */
export function Copy({ what, text }: CopyProps): JSX.Element | null {
  const isDone = useSignal(false);
  if (!("clipboard" in navigator)) return null;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      isDone.value = true;
      setTimeout(() => (isDone.value = false), 2000);
    } catch {
      // Copying is forbidden; the text is on the page anyway.
    }
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{isDone.value ? "Copied" : `Copy ${what}`}</span>
    </button>
  );
}
