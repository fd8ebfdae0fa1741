/** Instances of one workflow in Solid: the list, one's status, a button that creates, and why it was refused. */
import { createWorkflowsClients } from "@escapement/fragno/solid";
import h from "solid-js/h";
import { render } from "solid-js/web";

const path = { workflowName: "wait" };

export function mount(root, baseUrl) {
  const { useListInstances, useGetInstance, useCreateInstance } = createWorkflowsClients({
    baseUrl,
  });
  const Page = () => {
    const list = useListInstances({ path });
    const first = useGetInstance({ path: { ...path, instanceId: "first" } });
    const { mutate, error } = useCreateInstance();
    return [
      h("ul", () =>
        (list.data()?.instances ?? []).map(({ id, details }) => h("li", `${id} ${details.status}`)),
      ),
      h("output", () => first.data()?.details.status),
      h("em", () => error()?.code),
      h("button", { onClick: () => mutate({ path, body: { id: "second" } }) }),
    ];
  };
  render(h(Page), root);
}
