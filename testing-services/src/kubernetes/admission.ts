import { typeOf } from './access.ts';
import { ApiStatus } from './api-status.ts';
import type { KubeObject, ResourceType } from './kube-object.ts';
import type { ObjectStore } from './object-store.ts';

/** What a real server checks before it takes a new object; only the rules that a client of ours can break. */
export function admit(
  store: ObjectStore,
  type: ResourceType,
  namespace: string | null,
  body: Partial<KubeObject>,
): void {
  const name = body.metadata?.name;
  const problems: string[] = [];
  if (!name) problems.push('metadata.name: Required value: name or generateName is required');
  else if (name.length > 253 || !SUBDOMAIN.test(name))
    problems.push(
      `metadata.name: Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`,
    );
  for (const [key, value] of Object.entries(body.metadata?.labels ?? {})) {
    const [prefix, part] = key.includes('/') ? (key.split('/') as [string, string]) : ['x', key];
    if (!SUBDOMAIN.test(prefix) || !LABEL.test(part) || part.length > 63)
      problems.push(`metadata.labels: Invalid value: "${key}": a qualified name is needed`);
    if (value !== '' && (!LABEL.test(value) || value.length > 63))
      problems.push(
        `metadata.labels: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and at most 63 of them`,
      );
  }
  if (type.plural === 'pods') problems.push(...podProblems(body));
  if (problems.length > 0)
    throw new ApiStatus(422, 'Invalid', `${type.kind} "${name ?? ''}" is invalid: ${problems.join(', ')}`);
  if (namespace !== null && !store.find(typeOf('namespaces'), null, namespace))
    throw new ApiStatus(404, 'NotFound', `namespaces "${namespace}" not found`);
  if (type.plural === 'pods') checkQuota(store, namespace!, name!);
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function podProblems({ spec }: Partial<KubeObject>): string[] {
  const containers: any[] = spec?.containers ?? [];
  if (containers.length === 0) return ['spec.containers: Required value'];
  const volumes = new Set<string>((spec.volumes ?? []).map((volume: { name: string }) => volume.name));
  const names = new Set<string>();
  return containers.flatMap((container, index) => {
    const at = `spec.containers[${index}]`;
    const problems: string[] = [];
    if (!container.name) problems.push(`${at}.name: Required value`);
    if (names.has(container.name)) problems.push(`${at}.name: Duplicate value: "${container.name}"`);
    names.add(container.name);
    if (!container.image) problems.push(`${at}.image: Required value`);
    for (const mount of container.volumeMounts ?? [])
      if (!volumes.has(mount.name)) problems.push(`${at}.volumeMounts: Not found: "${mount.name}"`);
    return problems;
  });
}

/** Pods that are over do not count, as in a quota of `pods`. */
function checkQuota(store: ObjectStore, namespace: string, name: string): void {
  const all = { namespace, matches: () => true };
  const used = store
    .list(typeOf('pods'), all)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed').length;
  for (const { metadata, spec } of store.list(typeOf('resourcequotas'), all)) {
    const hard = spec?.hard?.pods;
    if (hard !== undefined && used + 1 > Number(hard))
      throw new ApiStatus(
        403,
        'Forbidden',
        `pods "${name}" is forbidden: exceeded quota: ${metadata.name}, requested: pods=1, used: pods=${used}, limited: pods=${hard}`,
      );
  }
}
