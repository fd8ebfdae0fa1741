/** Code that is loaded when it is first needed. */

/** @returns what gives it; what is there is not asked for again, which would take turns */
export function late<T>(load: () => Promise<T>): () => Promise<T> | T {
  let loaded: { readonly code: T } | null = null;
  return () =>
    loaded?.code ??
    load().then((code) => {
      loaded = { code };
      return code;
    });
}
