/** Arguments of `json_object` and `json_build_object`: each name as a text literal before its expression. */
export const toArguments = (members: Readonly<Record<string, string>>): string =>
  Object.entries(members)
    .map(([name, expression]) => `'${name.replaceAll("'", "''")}', ${expression}`)
    .join(", ");
