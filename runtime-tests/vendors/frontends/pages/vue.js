/** Instances of one workflow in Vue: the list, one's status, a button that creates, and why it was refused. */
import { createWorkflowsClients } from "@escapement/fragno/vue";
import { createApp, h } from "vue";

const path = { workflowName: "wait" };

export function mount(root, baseUrl) {
  const { useListInstances, useGetInstance, useCreateInstance } = createWorkflowsClients({
    baseUrl,
  });
  const setup = () => {
    const list = useListInstances({ path });
    const first = useGetInstance({ path: { ...path, instanceId: "first" } });
    const { mutate, error } = useCreateInstance();
    return () => [
      h(
        "ul",
        (list.data.value?.instances ?? []).map(({ id, details }) =>
          h("li", { key: id }, `${id} ${details.status}`),
        ),
      ),
      h("output", first.data.value?.details.status),
      h("em", error.value?.code),
      h("button", { onClick: () => mutate({ path, body: { id: "second" } }) }),
    ];
  };
  createApp({ setup }).mount(root);
}
