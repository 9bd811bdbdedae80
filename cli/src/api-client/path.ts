/** A path of the API whose parts are encoded: `` path`/dags/${dagId}/runs/${runId}` ``. */
export function path(strings: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return String.raw({ raw: strings }, ...parts.map((part) => encodeURIComponent(part)));
}
