/**
 * Preloaded into Node 24 where the compiled part of the runtime interface client is missing: `rapid-client.ts` takes its
 * place. All else is AWS's client as it is.
 */
import * as module from "node:module";

interface Resolved {
  readonly url: string;
  readonly shortCircuit: true;
}

/** Of Node 22.15 and later; the repository's own types are those of Node 20. */
interface Hooks {
  registerHooks(hooks: {
    readonly resolve: (
      specifier: string,
      context: object,
      next: (specifier: string, context: object) => Resolved,
    ) => Resolved;
  }): void;
}

(module as unknown as Hooks).registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier !== "./rapid-client.node") return next(specifier, context);
    return { url: new URL("rapid-client.ts", import.meta.url).href, shortCircuit: true };
  },
});
