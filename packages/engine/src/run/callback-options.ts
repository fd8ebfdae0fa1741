/** The option `callbacks` of an engine. */
import { WorkflowError } from "../core/errors.ts";

/** Lets workflows call `step.callback`, and accepts payloads at its URLs. Give the same option to every process of the engine. */
export interface EngineCallbackOptions {
  /**
   * Secrets of at least 32 random characters. The first one signs, and all of them verify. To rotate, put a new one first, and
   * keep the old one as long as its callbacks are open.
   */
  readonly signingKeys: readonly string[];
  /** The URL of the HTTP API from outside, with its mount route: `https://acme.dev/api/workflows`. */
  readonly url: string;
}

/** How the URLs of callbacks are made. */
export interface CallbackSigning {
  /** At least one: the first signs, and any of them verifies. */
  readonly signingKeys: readonly string[];
  /** Where the HTTP API is, without a slash at the end. */
  readonly url: string;
  /** The engine's. */
  readonly namespace: string;
}

/** As long as the signature. A shorter key would be easier to guess than the signature. @source RFC 2104, section 3 */
const MIN_KEY_LENGTH = 32;

/**
 * Parses the option; null: no callbacks. `createEngine` does so at once, and checks more in `engine-options.ts`.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function parseCallbacks({
  callbacks,
  namespace,
}: {
  readonly callbacks: EngineCallbackOptions | null;
  readonly namespace: string;
}): CallbackSigning | null {
  if (callbacks === null) return null;
  const { signingKeys, url } = callbacks;
  const isLong = (key: unknown): boolean => typeof key === "string" && key.length >= MIN_KEY_LENGTH;
  if (!Array.isArray(signingKeys) || signingKeys.length === 0 || !signingKeys.every(isLong))
    throw invalid("signingKeys", `a list of secrets of at least ${MIN_KEY_LENGTH} characters`);
  if (!/^https?:\/\/[^?#@]+$/.test(url) || !URL.canParse(url))
    throw invalid("url", "a URL such as https://acme.dev/api/workflows");
  return { signingKeys, url: url.replace(/\/+$/, ""), namespace };
}

const invalid = (name: keyof EngineCallbackOptions, expected: string): WorkflowError => {
  const path = `callbacks.${name}`;
  const message = `Option ${path} must be ${expected}.`;
  return new WorkflowError("DEPLOY_OPTIONS_INVALID", message, { path, expected });
};
