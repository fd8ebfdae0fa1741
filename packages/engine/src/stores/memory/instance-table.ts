/** The memory store's instances. */
import { assertInvariant } from "../../core/errors.ts";
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import type { ParentRef, RunRef } from "../../core/model/records.ts";

/** Instances by `instanceKey`. It finds children without a search: a family has thousands. */
export class InstanceTable<TInstance extends { readonly parent: ParentRef | null }> extends Map<
  string,
  TInstance
> {
  /** Keys of children, by the key of their parent and by its step. */
  readonly #children = new Map<string, Set<string>>();

  override set(key: string, instance: TInstance): this {
    const before = this.get(key)?.parent ?? null;
    if (before !== instance.parent) {
      this.#forget(key, before);
      this.#note(key, instance.parent);
    }
    return super.set(key, instance);
  }

  override delete(key: string): boolean {
    this.#forget(key, this.get(key)?.parent ?? null);
    return super.delete(key);
  }

  /** An instance that is there. */
  known(ref: InstanceRef): TInstance {
    const instance = this.get(instanceKey(ref));
    assertInvariant(instance !== undefined, "an instance is not there", { ...ref });
    return instance;
  }

  /** The children of all runs of an instance, oldest first. */
  childrenOf(parent: InstanceRef): readonly TInstance[] {
    return this.#at(instanceKey(parent));
  }

  /** The children that a step of a run has started. */
  childrenOfStep(step: RunRef & { readonly stepKey: string }): readonly TInstance[] {
    return this.#at(stepOf(step));
  }

  #at(parentKey: string): readonly TInstance[] {
    return [...(this.#children.get(parentKey) ?? [])].flatMap((key) => this.get(key) ?? []);
  }

  #note(key: string, parent: ParentRef | null): void {
    if (parent === null) return;
    for (const parentKey of [instanceKey(parent), stepOf(parent)]) {
      const children = this.#children.get(parentKey) ?? new Set();
      this.#children.set(parentKey, children.add(key));
    }
  }

  #forget(key: string, parent: ParentRef | null): void {
    if (parent === null) return;
    for (const parentKey of [instanceKey(parent), stepOf(parent)]) {
      const children = this.#children.get(parentKey);
      children?.delete(key);
      if (children?.size === 0) this.#children.delete(parentKey);
    }
  }
}

const stepOf = (step: RunRef & { readonly stepKey: string }): string =>
  `${instanceKey(step)}\u0000${step.runNumber}\u0000${step.stepKey}`;
