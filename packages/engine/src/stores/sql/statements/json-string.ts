/** Expression: a text as a JSON string, except for rare control characters. */
export const jsonString = (text: string): string => {
  const escapes = [
    ["\\", "\\\\"],
    [`"`, `\\"`],
    ["\n", "\\n"],
    ["\r", "\\r"],
    ["\t", "\\t"],
  ] as const;
  const escaped = escapes.reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, text);
  return `'"' || ${escaped} || '"'`;
};
