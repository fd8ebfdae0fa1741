/** The routes of topics. */
import type * as answers from "./answer-shapes.ts";
import { defineRoute, type Route } from "./route.ts";
import * as shapes from "./schemas.ts";
import type { EmitOutput } from "../ports/topic-service.ts";

/** With their types. */
export interface TopicRoutes {
  readonly emit: Route<{
    readonly method: "POST";
    readonly path: "/topics/:topic";
    readonly params: shapes.TopicParams;
    readonly query: object;
    readonly body: shapes.MessageBody;
    readonly output: EmitOutput;
  }>;
  readonly listWaiters: Route<{
    readonly method: "GET";
    readonly path: "/topics/:topic/waiters";
    readonly params: shapes.TopicParams;
    readonly query: shapes.WaitersQuery;
    readonly body: unknown;
    readonly output: answers.WaiterList;
  }>;
}

/** By name. */
export const TOPIC_ROUTES: TopicRoutes = {
  emit: defineRoute({
    method: "POST",
    path: "/topics/:topic",
    policy: "events",
    params: shapes.topicParams,
    query: shapes.emptyShape,
    body: shapes.messageBody,
    bodyLimit: "single",
    handle: (service, { params, body: { payload, ...options } }) =>
      service.emit(params.topic, payload, options),
  }),
  listWaiters: defineRoute({
    method: "GET",
    path: "/topics/:topic/waiters",
    policy: "view",
    also: "read",
    body: shapes.anyShape,
    bodyLimit: "none",
    params: shapes.topicParams,
    query: shapes.waitersQuery,
    handle: async (service, { params, query }) => ({
      waiters: await service.listWaiters(params.topic, query),
    }),
  }),
};
