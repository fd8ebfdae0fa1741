/** What there is to type after the example: the commands of its guide, under the guide's headings. */

interface Part {
  readonly title: string;
  /** What the guide says at length. */
  readonly note?: string;
  readonly commands: readonly string[];
}

/** Where `escapement dev` answers, with the port of its commands. */
export const URL_OF_API = "http://127.0.0.1:4040/api/workflows";

const DEV = (code: string): string =>
  `escapement dev examples/broken-deploy/src/${code} --db "$DATABASE_URL" --port 4040`;

const FAILED = "--workflow order --status errored";

const PARTS: readonly Part[] = [
  { title: "Find them", commands: [`escapement ls ${FAILED} --limit 3`] },
  {
    title: "Understand one",
    commands: [
      "escapement show order order-992",
      "escapement explain order order-992",
      "escapement show order order-999",
    ],
  },
  {
    title: "Try the fix out",
    commands: [
      'escapement replay --from "$DATABASE_URL" --module examples/broken-deploy/src/hasty.ts',
      'escapement replay --from "$DATABASE_URL" --module examples/broken-deploy/src/mended.ts',
    ],
  },
  {
    title: "Deploy it",
    note: "in the first terminal, after Ctrl-C",
    commands: [DEV("mended.ts")],
  },
  {
    title: "Retry them all",
    commands: [
      `escapement bulk retry ${FAILED} --dry-run`,
      `escapement bulk retry ${FAILED} --yes`,
    ],
  },
  { title: "Watch them end", commands: ["escapement bulk ls", `escapement ls ${FAILED} --watch`] },
];

const toBegin = (file: string): Part => ({
  title: "Try it yourself",
  note: "the last line stays; type the rest in a second terminal, after the first three",
  commands: [
    'alias escapement="npm run --silent escapement --"',
    `export DATABASE_URL=${file}`,
    `export ESCAPEMENT_URL=${URL_OF_API}`,
    DEV("deployed.ts"),
  ],
});

/** @param file the database, as it is to be typed in the repository's folder */
export function toNext(file: string): string {
  const parts = [toBegin(file), ...PARTS].map(({ title, note, commands }) => {
    const head = note === undefined ? title : `${title} (${note})`;
    return [head, ...commands.map((line) => `  ${line}`)].join("\n");
  });
  return `They stay in ${file}. What to type next, as docs/guides/broken-deploy.md explains it:\n\n${parts.join("\n\n")}`;
}
