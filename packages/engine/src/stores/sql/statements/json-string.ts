/** Expression: a text as JSON has it, but for control characters that hardly any text has. */
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
