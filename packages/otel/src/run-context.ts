/** Contexts with only a span. Their size matters, because each run and each attempt has one. */
import { type Context, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";

/** Like `ROOT_CONTEXT.setValue(key, value)`, without a map and a function for each method. */
class OneValue implements Context {
  readonly #key: symbol;
  readonly #value: unknown;

  constructor(key: symbol, value: unknown) {
    this.#key = key;
    this.#value = value;
  }

  getValue(key: symbol): unknown {
    return key === this.#key ? this.#value : undefined;
  }

  setValue(key: symbol, value: unknown): Context {
    if (key === this.#key) return new OneValue(key, value);
    return ROOT_CONTEXT.setValue(this.#key, this.#value).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return key === this.#key ? ROOT_CONTEXT : this;
  }
}

const NOTHING: Context = {
  getValue: () => undefined,
  setValue: (key, value) => new OneValue(key, value),
  deleteValue: () => NOTHING,
};

/** @returns a context in which the span is active, without anything from the caller's context */
export const toRunContext = (span: Span): Context => trace.setSpan(NOTHING, span);
