/** Route handlers of Next.js's App Router, which Vercel builds as functions and knows by their files in `vercel.json`. */

/** A folder: its name, a dynamic one is none of these; one in parentheses is a group and no part of the path, `_name` is private. */
const FOLDERS = /(?:\/(?!_)[\w-]+|\/\([\w-]+\))+/.source;

/**
 * A route at one path. `vercel dev` refuses a dynamic one as a queue's consumer.
 *
 * @source @vercel/next 15.0.1 of `vercel` 60.1.3, read 2026-11-30; nextjs.org/docs/app/getting-started/project-structure, 2026-11
 */
export const ROUTE: RegExp = new RegExp(`^(?=.{1,128}$)(?:src/)?app${FOLDERS}/route\\.[jt]sx?$`);

const CATCH_ALL = new RegExp(
  `^(?=.{1,128}$)(?:src/)?app(?<folders>${FOLDERS})/\\[{1,2}\\.{3}\\w+\\]{1,2}/route\\.[jt]sx?$`,
);

/**
 * The path of the folder whose requests a route takes: all below it.
 *
 * @returns for example `/api/workflows` for `src/app/api/workflows/[...path]/route.ts`; null: it is no such route
 */
export function readCatchAll(file: string): string | null {
  const folders = CATCH_ALL.exec(file)?.groups?.["folders"];
  return folders === undefined ? null : folders.replaceAll(/\/\([\w-]+\)/g, "");
}
