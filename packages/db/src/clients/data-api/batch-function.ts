/**
 * A function in the database that runs a batch, so that a batch is one call of the Data API and one transaction.
 *
 * The Data API takes one statement a call. A transaction of its own would be a call for each statement and two more; it holds
 * its rows for three minutes when the caller dies between two calls, and text has the type `text` there, while Postgres finds
 * out what type a value of a statement has. A statement that runs in a volatile function sees what those before it did.
 */

/** The number rises with the text. */
const NAME = "escapement_batch_1";

/** Calls it with `count` parameters, `s1` and on, each a statement. */
export const callText = (count: number): string =>
  `select chunk from ${NAME}(cast(array[${Array.from({ length: count }, (_, index) => `:s${index + 1}`).join(", ")}] as text[])) as chunk`;

/** Whether the server misses the function, and not one that a statement of the batch calls. */
export const isMissing = (state: string, message: string): boolean =>
  state === "42883" && message.includes(NAME);

// A cursor tells its columns' types before it has a row, and takes all that returns rows; what does not is refused as a cursor
// (42P11) before anything ran. Its plan is made for the first tenth of the rows unless told otherwise.
// Values leave as the text of a row, which is the database's own text of each; with quotes for apostrophes and backslashes for
// circumflexes, and the other way round, because an answer is JSON in JSON, where each of JSON's own would be eight. An answer leaves in chunks because a row may
// have 64 KB: a character has 4 bytes at most. They are cut from blocks, since `substr` reads all that is before them. No colon, which is where the Data API looks for a name.
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
