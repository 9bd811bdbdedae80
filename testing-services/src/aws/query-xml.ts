/** An answer of the query protocol, which STS speaks. */
export function toQueryXml(operation: string, output: object): string {
  return `<${operation}Response><${operation}Result>${elements(output)}</${operation}Result></${operation}Response>`;
}

function elements(value: unknown): string {
  if (typeof value !== 'object' || value === null) return escapeXml(String(value));
  return Object.entries(value)
    .map(([name, item]) => `<${name}>${elements(item)}</${name}>`)
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
