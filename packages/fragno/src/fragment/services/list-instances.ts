/** Lists a workflow's instances in any transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  COLUMN_NAMES,
  type EpochMs,
  type InstanceRecord,
  invalidField,
  type ListInstancesInput,
  type ListInstancesOutput,
  type ListInstancesRequest,
  parseInstancesPage,
  toInstanceView,
  toNextPage,
  without,
} from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readInstance } from "../rows.ts";
import { findRows } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";
import { isBehind, toPage } from "./read-page.ts";

/** Which instances are listed, and how. */
export interface ListInstancesParams extends ListInstancesInput {
  readonly workflowName: string;
  /** By creation; `desc`: newest first. @default "desc" */
  readonly order?: "asc" | "desc";
}

/** An instance in a list. For its params, use `getInstanceMetadata`. */
export interface ListedInstance extends InstanceView {
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** A page of instances. */
export interface InstancesPage extends Omit<ListInstancesOutput, "instances"> {
  readonly instances: readonly ListedInstance[];
}

export function listInstances(
  scope: ServiceScope,
  params: ListInstancesParams,
): TxResult<InstancesPage> {
  const { host } = scope;
  const { order = "desc", ...input } = params;
  if (order !== "asc" && order !== "desc") throw invalidField("order", '"asc" or "desc"');
  const { name } = host.find(params.workflowName);
  const { kind, ...request } = parseInstancesPage(name, input);
  return toServiceCall(scope, {
    find: (uow) => findInstances(host, uow, { ...request, order }),
    decide: ([rows = []]): InstancesPage => {
      const { pageSize, maxPayloadBytes } = request;
      const page = toPage(rows, {
        pageSize,
        shown: maxPayloadBytes === undefined ? {} : { maxPayloadBytes },
        read: readListed,
        payload: "output",
        order,
      });
      return {
        instances: page.items.map((item) => ({
          ...toInstanceView(item),
          createdAt: item.createdAt,
          updatedAt: item.updatedAt,
        })),
        ...toNextPage(kind, page),
      };
    },
    answer: (page) => page,
  });
}

const readListed = (row: FragnoRow): InstanceRecord & { readonly id: string } => ({
  ...readInstance({ ...row, params: null }),
  id: row.id.externalId,
});

/** Without params, which may be long. */
const COLUMNS = without(COLUMN_NAMES.instance, "params");

function findInstances(
  host: FragmentHost,
  uow: WriteUow,
  request: ListInstancesRequest & Required<Pick<ListInstancesParams, "order">>,
): WriteUow {
  const { workflowName, status, after, order, pageSize } = request;
  return findRows(uow, "workflow_instance", {
    by: "idx_createdAt",
    where: (is) => [
      is("workflowName", "=", workflowName),
      status === null || is("status", "=", status),
      isBehind(is, host, { position: after, order }),
    ],
    refine: (find) => {
      const rows = find.select(COLUMNS as never);
      // Fragno's own adapters have no tie-break: a page that they cut off could lose rows.
      if (!host.isOurs) return rows;
      return rows.orderByIndex("idx_createdAt" as never, order).pageSize(pageSize + 1);
    },
  });
}
