/** The routes of topics. */
import type * as answers from "./answer-shapes.ts";
import { defineRoute, type Get, OVER_ALL, type Post } from "./route.ts";
import * as shapes from "./schemas.ts";
import type { EmitOutput } from "../ports/topic-service.ts";

/** The routes with their types. */
export interface TopicRoutes {
  readonly emit: Post<"/topics/:topic", object, shapes.MessageBody, EmitOutput>;
  readonly listWaiters: Get<"/topics/:topic/waiters", shapes.WaitersQuery, answers.WaiterList>;
}

/** The routes by name. */
export const TOPIC_ROUTES: TopicRoutes = {
  emit: defineRoute({
    method: "POST",
    path: "/topics/:topic",
    policy: "events",
    body: shapes.messageBody,
    bodyLimit: "single",
    handle: (service, { params, body: { payload, ...options } }) =>
      service.emit(params.topic, payload, options),
  }),
  listWaiters: defineRoute({
    ...OVER_ALL,
    method: "GET",
    path: "/topics/:topic/waiters",
    query: shapes.waitersQuery,
    handle: async (service, { params, query }) => ({
      waiters: await service.listWaiters(params.topic, query),
    }),
  }),
};
