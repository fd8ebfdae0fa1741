/** Filters, cursors and bulk jobs that nobody means well with. */
import type { HostileRequest } from "./attacker.ts";
import { API, post, request } from "./request.ts";

const LISTS = [
  "/instances",
  "/instances/counts",
  "/activity",
  "/leases",
  "/open-callbacks",
  "/bulk",
];
const QUERIES = [
  "idPrefix=%00",
  "idPrefix=%25",
  "idPrefix=%5C",
  "idPrefix=_",
  "idPrefix='%3B--",
  "tag=%00",
  "tag=%22%5D",
  "errorCode=%00",
  "errorCode=%22",
  "workflows=",
  "workflows=,",
  `workflows=${"order,".repeat(2000)}order`,
  "workflows=__proto__",
  "parent=order/%00",
  "parent=/",
  "createdFrom=8640000000000001",
  "createdBefore=99999999999999999999",
  "bucketMs=0",
  "buckets=1000000",
  "limit=0",
  "cap=1000000",
];
const lists = LISTS.flatMap((list) =>
  QUERIES.map((query) =>
    request(`${list}?${query.slice(0, 40)}`, { path: `${API}${list}?${query}` }),
  ),
);

/** In JSON, since it has texts that no query holds. */
const FILTERS = [
  "{}",
  '{"workflows":[]}',
  '{"workflows":["order"],"status":[]}',
  '{"workflows":[null]}',
  `{"workflows":${JSON.stringify(Array.from({ length: 3000 }, () => "order"))}}`,
  '{"idPrefix":"\\u0000"}',
  '{"idPrefix":"\\ud800"}',
  '{"tag":"\\ud800"}',
  '{"errorCode":"\\u0000"}',
  '{"tag":"t","createdFrom":1.5}',
  '{"tag":"t","createdBefore":1e300}',
  '{"tag":"t","updatedFrom":-9007199254740993}',
  '{"parent":{"workflowName":"\\u0000","instanceId":"\\ud800"}}',
  '{"parent":{"workflowName":"order","instanceId":"here","__proto__":{}}}',
  '{"stuck":"true"}',
  '{"__proto__":{"tag":"t"}}',
  '{"tag":"t","id":"\\u0000"}',
];
const jobs = FILTERS.flatMap((filter) =>
  ["retry", "delete"].flatMap((act) => {
    const text = filter === "{}" ? `{"act":"${act}"}` : `{"act":"${act}",${filter.slice(1)}`;
    return [
      post(`preview ${text.slice(0, 80)}`, `${API}/bulk/preview`, text),
      post(`job ${text.slice(0, 80)}`, `${API}/bulk`, text),
    ];
  }),
);

/** Requests for what goes on in all workflows. */
export const FINDING_REQUESTS: readonly HostileRequest[] = [...lists, ...jobs];
