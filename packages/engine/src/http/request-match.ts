/** Finds out what a request is for without the route table: for adapters that treat some requests differently. */
import { DEFAULT_MOUNT_ROUTE, parseMountRoute, TICK_PATH } from "./mount.ts";
import { matchSegments, splitPattern, toSegments } from "./path.ts";

/**
 * Creates a test for requests to the tick route. It reads a path like the route table: decoded once, with or without a slash at the end.
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

/** Creates a function that reads the workflow from a request; null: the request is not about one. @throws like `createTickMatch` */
export function createWorkflowMatch(
  mountRoute: string = DEFAULT_MOUNT_ROUTE,
): (request: Request) => string | null {
  const pattern = splitPattern(`${parseMountRoute(mountRoute)}/workflows/:workflowName/instances`);
  return (request) => {
    const segments = readSegments(request).slice(0, pattern.length);
    return matchSegments(pattern, segments)?.["workflowName"] ?? null;
  };
}

/** Returns no segments for a URL that cannot be read, so that no route matches. */
const readSegments = ({ url }: Request): readonly string[] =>
  (URL.canParse(url) ? toSegments(new URL(url).pathname) : null) ?? [];
