/** Instances of one workflow in Svelte: the list, one's status, a button that creates, and why it was refused. */
import { mount as mountComponent } from "svelte";
import Page from "./page.svelte";

export function mount(root, baseUrl) {
  mountComponent(Page, { target: root, props: { baseUrl } });
}
