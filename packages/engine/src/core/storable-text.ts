/** Text that every store can hold. */

/** Text without NUL and unpaired surrogates, which Postgres text refuses. */
export const toStorableText = (text: string): string =>
  text
    .replaceAll("\u0000", "\uFFFD")
    .replaceAll(
      /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/gu,
      "\uFFFD",
    );
