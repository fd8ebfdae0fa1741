/** Instances of one workflow in React: the list, one's status, a button that creates, and why it was refused. */
import { createWorkflowsClients } from "@escapement/fragno/react";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";

const path = { workflowName: "wait" };

export function mount(root, baseUrl) {
  const { useListInstances, useGetInstance, useCreateInstance } = createWorkflowsClients({
    baseUrl,
  });
  const Page = () => {
    const list = useListInstances({ path });
    const first = useGetInstance({ path: { ...path, instanceId: "first" } });
    const { mutate, error } = useCreateInstance();
    const items = (list.data?.instances ?? []).map(({ id, details }) =>
      h("li", { key: id }, `${id} ${details.status}`),
    );
    return [
      h("ul", { key: "list" }, items),
      h("output", { key: "status" }, first.data?.details.status),
      h("em", { key: "refusal" }, error?.code),
      h("button", { key: "create", onClick: () => mutate({ path, body: { id: "second" } }) }),
    ];
  };
  createRoot(root).render(h(Page));
}
