/**
 * A database function that runs a batch, so that a batch is one call of the Data API and one transaction.
 *
 * The Data API takes one statement per call. A transaction of its own would need a call per statement and two more; if the caller dies
 * between two calls, it keeps its locks for three minutes; and text parameters have the type `text` there, while Postgres infers the
 * types of a normal statement's parameters. A statement inside a volatile function sees the effects of those before it.
 */

/** The number rises when the text changes. */
const NAME = "escapement_batch_1";

/** Calls it with `count` parameters, named from `s1` on, each a statement. */
export const callText = (count: number): string =>
  `select chunk from ${NAME}(cast(array[${Array.from({ length: count }, (_, index) => `:s${index + 1}`).join(", ")}] as text[])) as chunk`;

/** Whether the server lacks the function, and not one that a statement of the batch calls. */
export const isMissing = (state: string, message: string): boolean =>
  state === "42883" && message.includes(NAME);

// A cursor knows its columns' types before it has a row. It accepts everything that returns rows; anything else is refused as a
// cursor (42P11) before it runs. By default, its plan is made for the first tenth of the rows. Values are returned as the text of a
// row, in the database's own form. Quotes are swapped with apostrophes and backslashes with circumflexes, because an answer is JSON
// in JSON, where each quote would take eight characters. An answer is split into chunks because a row may have 64 KB, and a
// character takes up to 4 bytes. Chunks are cut from blocks, because `substr` reads everything before its start. There is no colon,
// which the Data API would take for the start of a name.
/** Creates it, in the schema that comes first in the role's `search_path`. */
export const CREATE_TEXT: string = `create or replace function ${NAME}(statements text[]) returns setof text
language plpgsql set cursor_tuple_fraction = 1 as $function$
declare
  statement text;
  result refcursor;
  line record;
  described text;
  names json;
  types text[];
  lines text[];
  answers text[] = '{}';
  answer text;
  block text;
begin
  foreach statement in array statements loop
    result = null;
    names = null;
    types = null;
    lines = '{}';
    begin
      open result for execute statement;
    exception when invalid_cursor_definition then
      result = null;
    end;
    if result is null then
      execute statement;
    else
      loop
        fetch result into line;
        exit when not found;
        if names is null then
          names = (select json_agg(name) from json_object_keys(row_to_json(line)) as name);
          described = cast(cursor_to_xmlschema(result, false, true, '') as text);
          types = array(
            select case when part[1] like 'Domain.%' then split_part(split_part(split_part(
              described, '"' || part[1] || '">', 2), 'base="', 2), '"', 1) else part[1] end
            from regexp_matches(described, '<xsd.element name="[^"]*" type="([^"]*)" minOccurs', 'g') as part
          );
        end if;
        lines = lines || translate(cast(line as text), '"''^' || chr(92), '''"' || chr(92) || '^');
      end loop;
      close result;
    end if;
    answers = answers || cast(json_build_array(names, types, lines) as text);
  end loop;
  answer = '[' || array_to_string(answers, ',') || ']';
  for block_number in 0 .. length(answer) / 320000 loop
    block = substr(answer, block_number * 320000 + 1, 320000);
    for chunk_number in 0 .. length(block) / 16000 loop
      return next substr(block, chunk_number * 16000 + 1, 16000);
    end loop;
  end loop;
end
$function$`;
