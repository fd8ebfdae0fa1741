/**
 * A number per workflow, and per value of one more attribute if there is one. Adding allocates nothing: each number's attributes are
 * created once.
 */
import type { Attributes, Observable } from "@opentelemetry/api";
import { WORKFLOW } from "./names.ts";

interface Entry {
  readonly attributes: Attributes;
  value: number;
}

export class Count {
  /** The name of the other attribute, which has few values. */
  readonly #by: string | null;
  readonly #entries = new Map<string, Map<string, Entry>>();

  /** @param by name of the other attribute */
  constructor(instrument: Observable, by: string | null = null) {
    this.#by = by;
    instrument.addCallback((result) => {
      for (const { attributes, value } of this.#all()) result.observe(value, attributes);
    });
  }

  /** @param workflowName of a registered workflow */
  add(workflowName: string, number = 1, kind = ""): void {
    const entry = this.#entries.get(kind)?.get(workflowName) ?? this.#create(workflowName, kind);
    entry.value += number;
  }

  #create(workflowName: string, kind: string): Entry {
    const other = this.#by === null ? {} : { [this.#by]: kind };
    const entry = { attributes: { [WORKFLOW]: workflowName, ...other }, value: 0 };
    const ofKind = this.#entries.get(kind) ?? new Map<string, Entry>();
    this.#entries.set(kind, ofKind.set(workflowName, entry));
    return entry;
  }

  *#all(): Iterable<Entry> {
    for (const ofKind of this.#entries.values()) yield* ofKind.values();
  }
}
