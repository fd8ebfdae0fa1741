/** The option `callbacks` of an engine. */
import { assertKnownOptions } from "../core/known-names.ts";
import { invalidOption } from "../http/invalid-option.ts";
import { parseSecrets } from "../http/secrets.ts";
import type { CallbackSigning } from "../run/context.ts";

/** Lets workflows call `step.callback`, and takes what comes to its URLs. The same in every process of the engine. */
export interface EngineCallbackOptions {
  /**
   * Secrets of at least 32 random characters: the first signs, all are verified by. Put a new one first, and keep the old
   * one as long as callbacks of it are open.
   */
  readonly signingKeys: readonly string[];
  /** Where the HTTP API is reached from outside, its mount route included: `https://acme.dev/api/workflows`. */
  readonly url: string;
}

/** As long as the signature: a shorter key would be what is guessed. @source RFC 2104, section 3 */
const MIN_KEY_LENGTH = 32;

const OPTIONS: Readonly<Record<keyof EngineCallbackOptions, 1>> = { signingKeys: 1, url: 1 };

/** null: no callbacks. @throws {WorkflowError} UNKNOWN_OPTION, DEPLOY_OPTIONS_INVALID */
export function parseCallbacks(
  options: EngineCallbackOptions | undefined,
  namespace: string,
): CallbackSigning | null {
  if (options === undefined) return null;
  assertKnownOptions("callbacks", options, OPTIONS);
  const signingKeys = parseSecrets(options.signingKeys, "callbacks.signingKeys");
  const short = signingKeys.findIndex(({ length }) => length < MIN_KEY_LENGTH);
  if (short >= 0)
    throw invalidOption(
      `callbacks.signingKeys.${short}`,
      `at least ${MIN_KEY_LENGTH} printable ASCII characters, no spaces`,
    );
  return { signingKeys, url: parseMountUrl(options.url), namespace };
}

function parseMountUrl(given: unknown): string {
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : null;
  const isPlain =
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isPlain) return url.href.replace(/\/+$/, "");
  throw invalidOption("callbacks.url", "a URL such as https://acme.dev/api/workflows");
}
