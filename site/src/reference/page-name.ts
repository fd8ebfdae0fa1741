/** Name of an entry's page: `@escapement/engine/store/sql` gives `engine-store-sql`. */
export function toPageName(specifier: string): string {
  return specifier.replace("@escapement/", "").replaceAll("/", "-");
}
