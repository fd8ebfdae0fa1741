/** What a request is for, told without the route table: for adapters that treat some requests apart. */
import { DEFAULT_MOUNT_ROUTE, parseMountRoute, TICK_PATH } from "./mount.ts";
import { matchSegments, splitPattern, toSegments } from "./path.ts";

/**
 * Makes the check whether a request is for the tick route. It reads a path as the route table does: decoded once, with or
 * without a slash at the end.
 *
 * @param mountRoute the API's. @default "/api/workflows"
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — not a path of plain segments
 */
export function createTickMatch(
  mountRoute: string = DEFAULT_MOUNT_ROUTE,
): (request: Request) => boolean {
  const pattern = splitPattern(`${parseMountRoute(mountRoute)}${TICK_PATH}`);
  return (request) => matchSegments(pattern, readSegments(request)) !== null;
}

/** Makes a reader of the workflow that a request is about; null: of none. @throws as `createTickMatch` */
export function createWorkflowMatch(
  mountRoute: string = DEFAULT_MOUNT_ROUTE,
): (request: Request) => string | null {
  const pattern = splitPattern(`${parseMountRoute(mountRoute)}/workflows/:workflowName/instances`);
  return (request) => {
    const segments = readSegments(request).slice(0, pattern.length);
    return matchSegments(pattern, segments)?.["workflowName"] ?? null;
  };
}

/** No segments: a URL that cannot be read, which is no route's. */
const readSegments = ({ url }: Request): readonly string[] =>
  (URL.canParse(url) ? toSegments(new URL(url).pathname) : null) ?? [];
