import type { InferOutput } from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import type { InstanceView } from "../ports/instance-views.ts";
import type { TickOutput } from "../ports/tick.ts";
import { defineRoute } from "./route.ts";
import type { ROUTE_REFERENCE } from "./route-reference.ts";
import type { HTTP_ROUTES } from "./routes.ts";

type Routes = typeof HTTP_ROUTES;
type Reference = typeof ROUTE_REFERENCE;

describe("the route table keeps what a typed client needs", () => {
  it("path and method are literals", () => {
    expectTypeOf<
      Routes["createInstance"]["path"]
    >().toEqualTypeOf<"/workflows/:workflowName/instances">();
    expectTypeOf<Routes["createInstance"]["method"]>().toEqualTypeOf<"POST">();
    expectTypeOf<
      Routes["pauseInstance"]["path"]
    >().toEqualTypeOf<"/workflows/:workflowName/instances/:instanceId/pause">();
  });

  it("a route that reads a query or a body gives its shape", () => {
    const spec = { method: "GET", path: "/x", policy: "read", handle: () => "" } as const;
    defineRoute<"GET", "/x", object, unknown, string>(spec);
    // @ts-expect-error -- nothing would check `limit`
    defineRoute<"GET", "/x", { readonly limit?: number }, unknown, string>(spec);
    // @ts-expect-error -- nothing would check the body
    defineRoute<"GET", "/x", object, { readonly id: string }, string>(spec);
  });

  it("shapes give the service's own types", () => {
    expectTypeOf<InferOutput<Reference["getInstance"]["output"]>>().toEqualTypeOf<InstanceView>();
    expectTypeOf<InferOutput<Reference["tick"]["output"]>>().toEqualTypeOf<TickOutput>();
    expectTypeOf<InferOutput<Routes["listHistory"]["query"]>>().toHaveProperty("runNumber");
  });
});
