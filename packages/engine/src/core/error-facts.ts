/** Facts about each error code, for people: the source of the pages under `docs/errors/`. Not loaded at run time. */
import type { ErrorCode } from "./error-codes.ts";
import { AUTHOR_FACTS } from "./error-facts/author.ts";
import { DETERMINISM_FACTS } from "./error-facts/determinism.ts";
import { INVALID_INPUT_FACTS } from "./error-facts/invalid-input.ts";
import { PLATFORM_FACTS } from "./error-facts/platform.ts";
import { REFUSED_REQUEST_FACTS } from "./error-facts/refused-request.ts";
import { STORE_FACTS } from "./error-facts/store.ts";
import { MOVE_ERROR_FACTS } from "./move/error-facts.ts";

/** When an error happens and how to fix it. */
interface CodeFacts {
  /** One sentence for the error's page: when it happens. */
  readonly when: string;
  /** One sentence for the error's page: what to do. */
  readonly fix: string;
}

/** Who sees a code, when it happens, and what to do. */
export interface ErrorFacts extends CodeFacts {
  readonly family: "request" | "author" | "determinism" | "store" | "platform" | "invariant";
}

/** The meaning of each code, its audience, and what to do: the source of the error pages. */
export const ERROR_FACTS: Readonly<Record<ErrorCode, ErrorFacts>> = {
  ...ofFamily("request", INVALID_INPUT_FACTS),
  ...ofFamily("request", REFUSED_REQUEST_FACTS),
  ...ofFamily("request", MOVE_ERROR_FACTS),
  ...ofFamily("author", AUTHOR_FACTS),
  ...ofFamily("determinism", DETERMINISM_FACTS),
  ...ofFamily("store", STORE_FACTS),
  ...ofFamily("platform", PLATFORM_FACTS),
  INVARIANT_BROKEN: {
    family: "invariant",
    when: "Escapement found itself in a state that its design excludes.",
    fix: "Report it with the details.",
  },
};

function ofFamily<Code extends ErrorCode>(
  family: ErrorFacts["family"],
  facts: Readonly<Record<Code, CodeFacts>>,
): Readonly<Record<Code, ErrorFacts>> {
  const entries = Object.entries<CodeFacts>(facts);
  return Object.fromEntries(entries.map(([code, one]) => [code, { family, ...one }])) as Readonly<
    Record<Code, ErrorFacts>
  >;
}
