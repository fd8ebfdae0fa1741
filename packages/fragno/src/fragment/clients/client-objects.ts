/** The stores and mutators that the clients of every framework are made of: one for each route except ticks. */
import type { FragnoRouteConfig } from "@fragno-dev/core";
import {
  createClientBuilder,
  type FragnoClientHookData,
  type FragnoClientMutatorData,
  type FragnoPublicClientConfig,
} from "@fragno-dev/core/client";
import type { HttpRoute, RouteName } from "@escapement/engine/internal";
import { DEFAULT_MOUNT_ROUTE, listRoutes, WorkflowError } from "@escapement/engine/internal/values";
import { toRouteConfig, type WorkflowsRoute } from "./routes.ts";

/** The fragment's address, and fetch options. @default mounted at `/api/workflows` of the page's own origin */
export type WorkflowsClientConfig = FragnoPublicClientConfig;

type ClientRouteName = Exclude<RouteName, "tick" | "tickByGet">;

type ClientObject<Name extends RouteName> =
  WorkflowsRoute<Name> extends FragnoRouteConfig<
    infer Method,
    infer Path,
    infer Input,
    infer Output,
    infer Code,
    infer Query
  >
    ? Method extends "GET"
      ? FragnoClientHookData<"GET", Path, NonNullable<Output>, Code, Query>
      : FragnoClientMutatorData<"POST", Path, Input, Output, Code, Query>
    : never;

/** By name: `useListInstances`, `useGetInstance`, `useCreateInstance`, `useSendEvent` and so on. */
export type WorkflowsClientObjects = {
  [Name in ClientRouteName as `use${Capitalize<Name>}`]: ClientObject<Name>;
};

// The routes require it, and Fragno's clients send none.
const JSON_TYPE = { "content-type": "application/json" } as const;

/** Creates the objects that a framework's `useFragno` converts to its own. They fetch only in browsers. */
export function createClientObjects(config: WorkflowsClientConfig): WorkflowsClientObjects {
  const routes = listRoutes().filter(([, { policy }]) => policy !== "tick");
  const reads = routes.flatMap(([, { method, path }]) => (method === "GET" ? [path] : []));
  const builder = createClientBuilder(
    { name: "workflows" },
    {
      ...config,
      mountRoute: config.mountRoute ?? DEFAULT_MOUNT_ROUTE,
      ...toFetcher(config.fetcherConfig),
    },
    routes.map(([name, route]) => toRouteConfig(name, route, refuse)) as readonly FragnoRouteConfig<
      HttpRoute["method"],
      string,
      undefined,
      never
    >[],
    { type: "options", options: { headers: JSON_TYPE } },
  );
  const create = ({ method, path }: HttpRoute): unknown =>
    method === "GET"
      ? builder.createHook(path as never)
      : builder.createMutator(method, path as never, (invalidate, { pathParams }) => {
          for (const read of readsOf(reads, pathParams ?? {}))
            invalidate("GET", read, { pathParams });
        });
  const objects = routes.map(([name, route]) => [toHookName(name), create(route)]);
  return Object.fromEntries(objects) as WorkflowsClientObjects;
}

/** If the application has its own fetch function, it gets our headers. */
function toFetcher(given: WorkflowsClientConfig["fetcherConfig"]): Partial<WorkflowsClientConfig> {
  if (given?.type !== "function") return {};
  const { fetcher } = given;
  const withType: typeof fetch = (input, init = {}) => {
    const headers = new Headers({ ...JSON_TYPE });
    new Headers(init.headers).forEach((value, name) => headers.set(name, value));
    return fetcher(input, { ...init, headers });
  };
  return { fetcherConfig: { type: "function", fetcher: withType } };
}

/** The reads that a write may have changed: everything about the workflow or instance that it names. */
const readsOf = (reads: readonly string[], pathParams: object): readonly string[] =>
  reads.filter((path) => {
    const names = [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
    return names.length > 0 && names.every((name) => name in pathParams);
  });

const toHookName = (name: string): string => `use${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

async function refuse(): Promise<never> {
  const message = "Clients fetch in browsers; on a server, call the fragment: callRoute, services";
  throw new WorkflowError("INVARIANT_BROKEN", message);
}
