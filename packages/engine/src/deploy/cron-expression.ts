/** Cron expressions that every platform reads in the same way, for configurations that a platform does not check. */

/** Lowest and highest value of minute, hour, day of month, month, day of week. */
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/**
 * Whether an expression has five fields of numbers, ranges, lists and steps, with single spaces between them: no seconds, no names, no
 * `@daily`, and not both a day of the month and a day of the week, which some platforms combine with "or".
 */
export function isPlainCron(expression: string): boolean {
  const fields = expression.split(" ");
  const [, , dayOfMonth, , dayOfWeek] = fields;
  const isEach = RANGES.every(([min, max], index) => isField(fields[index] ?? "", min, max));
  return fields.length === RANGES.length && isEach && (dayOfMonth === "*" || dayOfWeek === "*");
}

/** Whether a plain expression fires at most once a day. */
export function isDailyCron(expression: string): boolean {
  const [minute = "", hour = ""] = expression.split(" ");
  return /^\d+$/.test(minute) && /^\d+$/.test(hour);
}

const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

function isField(field: string, min: number, max: number): boolean {
  return field.split(",").every((part) => {
    const match = PART.exec(part);
    if (match === null) return false;
    const [, from = String(min), to = match[1] ?? String(max), step = "1"] = match;
    const isOrdered = Number(from) <= Number(to) && Number(step) >= 1;
    return isOrdered && Number(from) >= min && Number(to) <= max && Number(step) <= max;
  });
}
