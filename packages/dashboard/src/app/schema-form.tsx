/** A form for a value: fields if there is a schema, otherwise JSON. */
import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { type Field, toFields, toJsonValue, toValue } from "./schema-fields.ts";

/** The state of the form. */
export interface ValueForm {
  readonly name: string;
  /** null: the value is entered as JSON. */
  readonly fields: readonly Field[] | null;
  readonly texts: Signal<Readonly<Record<string, string>>>;
  readonly json: Signal<string>;
  readonly isJson: Signal<boolean>;
}

/** @param schema JSON Schema of the value; null: unknown */
export function createValueForm(name: string, schema: unknown): ValueForm {
  const fields = toFields(schema);
  const json = signal("");
  return { name, fields, texts: signal({}), json, isJson: signal(fields === null) };
}

/** undefined: the form is empty. @throws {FieldError} */
export function readValueForm({ name, fields, texts, json, isJson }: ValueForm): unknown {
  if (fields !== null && !isJson.value) return toValue(fields, texts.value);
  return json.value.trim() === "" ? undefined : toJsonValue(name, json.value);
}

/** The form. Create its state by `createValueForm`, once per schema. */
export function ValueFields({ form }: { readonly form: ValueForm }): JSX.Element {
  const { name, fields, json, isJson } = form;
  return (
    <fieldset class="value">
      <legend>{name}</legend>
      {fields === null ? null : (
        <label class="check">
          <input
            type="checkbox"
            checked={isJson.value}
            onChange={({ currentTarget }) => (isJson.value = currentTarget.checked)}
          />
          as JSON
        </label>
      )}
      {fields === null || isJson.value ? (
        <label>
          {name}, as JSON
          <textarea
            rows={6}
            spellcheck={false}
            value={json.value}
            onInput={({ currentTarget }) => (json.value = currentTarget.value)}
          />
        </label>
      ) : (
        fields.map((field) => <Member key={field.name} field={field} form={form} />)
      )}
    </fieldset>
  );
}

interface MemberProps {
  readonly field: Field;
  readonly form: ValueForm;
}

function Member({ field, form: { texts } }: MemberProps): JSX.Element {
  const { name, kind, isRequired, about } = field;
  const value = texts.value[name] ?? "";
  const set = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    texts.value = { ...texts.value, [name]: currentTarget.value };
  };
  return (
    <label>
      <span>
        {name}
        {isRequired ? "" : ", may be left out"}
        {kind === "json" ? ", as JSON" : ""}
      </span>
      {kind === "choice" || kind === "boolean" ? (
        <select value={value} onChange={set}>
          <option value="">–</option>
          {(kind === "boolean" ? ["true", "false"] : field.choices).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : kind === "json" ? (
        <textarea rows={2} spellcheck={false} value={value} onInput={set} />
      ) : (
        <input
          inputMode={kind === "text" ? "text" : "decimal"}
          autocomplete="off"
          value={value}
          onInput={set}
        />
      )}
      {about === "" ? null : <span class="hint">{about}</span>}
    </label>
  );
}
