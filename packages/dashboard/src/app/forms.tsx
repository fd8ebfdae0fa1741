/** Forms: send an event, create an instance, emit a message. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type Forms, getForms, instancePath, post } from "./api.ts";
import { Act, Dialog } from "./dialogs.tsx";
import { type Target, toSeen, toTitle } from "./seen.ts";
import { createValueForm, readValueForm, ValueFields } from "./schema-form.tsx";

const NO_FORMS: Forms = { params: null, events: [] };

/** The schemas of a workflow; null until they are loaded. */
function useForms(workflowName: string): Forms | null {
  const forms = useSignal<Forms | null>(null);
  useEffect(() => {
    getForms(workflowName).then(
      (found) => (forms.value = found),
      () => (forms.value = NO_FORMS),
    );
  }, [workflowName]);
  return forms.value;
}

interface FormProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface SendEventProps extends FormProps {
  readonly target: Target;
  /** The types that the instance waits for. */
  readonly awaited: readonly string[];
}

/** Sends an event. If the workflow declares its event types, only these are offered. */
export function SendEvent({ target, awaited, onClose, onDone }: SendEventProps): JSX.Element {
  const forms = useForms(target.workflowName);
  const chosen = useSignal<string | null>(null);
  const declared = forms?.events.map(({ type }) => type) ?? [];
  const type = chosen.value ?? awaited[0] ?? declared[0] ?? "";
  const schema = forms?.events.find((event) => event.type === type)?.payload ?? null;
  const form = useMemo(() => createValueForm("Payload", schema), [schema]);
  const act = async (): Promise<unknown> => {
    const payload = readValueForm(form);
    const body = { type: type.trim(), ...(payload === undefined ? {} : { payload }) };
    const path = `${instancePath(target.workflowName, target.id)}/events`;
    return post(path, toSeen(target, false), body);
  };
  return (
    <Dialog title={`Send an event to ${toTitle(target)}`} onClose={onClose}>
      <label>
        Type
        {declared.length > 0 ? (
          <select
            value={type}
            onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
          >
            {declared.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        ) : (
          <input
            value={type}
            autocomplete="off"
            onInput={({ currentTarget }) => (chosen.value = currentTarget.value)}
          />
        )}
      </label>
      {awaited.length === 0 ? null : <p class="hint">It waits for {awaited.join(", ")}.</p>}
      <ValueFields form={form} />
      <Act label="Send" isDangerous={false} act={act} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

interface StartProps {
  readonly workflowName: string;
  readonly onClose: () => void;
  readonly onStarted: (id: string) => void;
}

/** Creates an instance. */
export function Start({ workflowName, onClose, onStarted }: StartProps): JSX.Element {
  const forms = useForms(workflowName);
  const id = useSignal("");
  const tags = useSignal("");
  const schema = forms?.params ?? null;
  const form = useMemo(() => createValueForm("Params", schema), [schema]);
  const started = useSignal("");
  const act = async (): Promise<unknown> => {
    const params = readValueForm(form);
    const words = tags.value.split(/[\s,]+/).filter((word) => word !== "");
    const body = {
      ...(id.value.trim() === "" ? {} : { id: id.value.trim() }),
      ...(params === undefined ? {} : { params }),
      ...(words.length === 0 ? {} : { tags: words }),
    };
    const path = `/workflows/${encodeURIComponent(workflowName)}/instances`;
    started.value = (await post<{ readonly id: string }>(path, {}, body)).id;
    return started.value;
  };
  return (
    <Dialog title={`Start ${workflowName}`} onClose={onClose}>
      <ValueFields form={form} />
      <Text label="Id, random if left empty" value={id} />
      <Text label="Tags, separated by spaces" value={tags} />
      <Act
        label="Start"
        isDangerous={false}
        act={act}
        onClose={onClose}
        onDone={() => onStarted(started.value)}
      />
    </Dialog>
  );
}

interface ForkProps {
  readonly target: Target;
  readonly stepKey: string;
  readonly onClose: () => void;
  readonly onForked: (id: string) => void;
}

/** Creates an instance that begins with the steps of another. */
export function Fork({ target, stepKey, onClose, onForked }: ForkProps): JSX.Element {
  const id = useSignal("");
  const forked = useSignal("");
  const form = useMemo(() => createValueForm("Params", null), []);
  const act = async (): Promise<unknown> => {
    const params = readValueForm(form);
    const path = `${instancePath(target.workflowName, target.id)}/fork`;
    const given = id.value.trim() === "" ? {} : { id: id.value.trim() };
    const body = { step: stepKey, ...given, ...(params === undefined ? {} : { params }) };
    const made = await post<{ readonly id: string }>(path, toSeen(target, false), body);
    forked.value = made.id;
    return made;
  };
  return (
    <Dialog title={`Fork ${toTitle(target)}?`} onClose={onClose}>
      <p>
        A new instance begins with what this one did before <code>{stepKey}</code>, and goes on by
        itself. This one is left alone.
      </p>
      <Text label="Id, random if left empty" value={id} />
      <details>
        <summary>Other params</summary>
        <ValueFields form={form} />
      </details>
      <Act
        label="Fork"
        isDangerous={false}
        act={act}
        onClose={onClose}
        onDone={() => onForked(forked.value)}
      />
    </Dialog>
  );
}

/** Emits a message to a topic. */
export function Emit({
  topic,
  onClose,
  onDone,
}: FormProps & { readonly topic: string }): JSX.Element {
  const form = useMemo(() => createValueForm("Payload", null), []);
  const act = async (): Promise<unknown> => {
    const payload = readValueForm(form);
    const body = payload === undefined ? {} : { payload };
    return post(`/topics/${encodeURIComponent(topic)}`, {}, body);
  };
  return (
    <Dialog title={`Send to ${topic}`} onClose={onClose}>
      <p>Each run that waits for the topic is given the message, once.</p>
      <ValueFields form={form} />
      <Act label="Send" isDangerous={false} act={act} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: { value: string };
}

function Text({ label, value }: TextProps): JSX.Element {
  return (
    <label>
      {label}
      <input
        autocomplete="off"
        value={value.value}
        onInput={({ currentTarget }) => (value.value = currentTarget.value)}
      />
    </label>
  );
}
