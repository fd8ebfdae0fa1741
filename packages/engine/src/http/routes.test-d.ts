import type { InferOutput } from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import type { InstanceView } from "../ports/instance-views.ts";
import type { TickOutput } from "../ports/tick.ts";
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

  it("shapes give the service's own types", () => {
    expectTypeOf<InferOutput<Reference["getInstance"]["output"]>>().toEqualTypeOf<InstanceView>();
    expectTypeOf<InferOutput<Reference["tick"]["output"]>>().toEqualTypeOf<TickOutput>();
    expectTypeOf<InferOutput<Routes["listHistory"]["query"]>>().toHaveProperty("runNumber");
  });
});
