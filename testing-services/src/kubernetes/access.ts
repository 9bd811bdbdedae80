import { ApiStatus } from './api-status.ts';
import { RESOURCES, type ResourceType } from './kube-object.ts';
import type { ObjectStore } from './object-store.ts';

/** Who asks, by the token of the request. */
export interface User {
  readonly name: string;
  /** Null: it may do everything. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | null;
}

export interface Request {
  readonly verb: string;
  readonly type: ResourceType;
  readonly subresource: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
}

interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Throws the 403 of a real server unless a role in the namespace allows it. */
export function authorize(store: ObjectStore, user: User, request: Request): void {
  if (user.serviceAccount === null) return;
  const { verb, type, subresource, namespace, name } = request;
  const resource = subresource ? `${type.plural}/${subresource}` : type.plural;
  const rules = namespace === null ? [] : rulesOf(store, user.serviceAccount, namespace);
  const isAllowed = rules.some(
    ({ apiGroups = [], resources = [], resourceNames, verbs }) =>
      has(apiGroups, type.group) &&
      has(resources, resource) &&
      has(verbs, verb) &&
      (!resourceNames || (name !== null && resourceNames.includes(name))),
  );
  if (isAllowed) return;
  const where = namespace === null ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  throw new ApiStatus(
    403,
    'Forbidden',
    `${type.plural}${name ? ` "${name}"` : ''} is forbidden: User "${user.name}" cannot ${verb} resource "${resource}" in API group "${type.group}" ${where}`,
  );
}

function rulesOf(store: ObjectStore, account: { namespace: string; name: string }, namespace: string): PolicyRule[] {
  const all = { namespace, matches: () => true };
  const bindings = store
    .list(typeOf('rolebindings'), all)
    .filter(({ subjects = [] }) =>
      (subjects as { kind: string; name: string; namespace?: string }[]).some(
        (subject) =>
          subject.kind === 'ServiceAccount' &&
          subject.name === account.name &&
          (subject.namespace ?? namespace) === account.namespace,
      ),
    );
  return bindings.flatMap(({ roleRef }) => store.find(typeOf('roles'), namespace, roleRef.name)?.rules ?? []);
}

function has(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

export function typeOf(plural: string): ResourceType {
  return RESOURCES.find((type) => type.plural === plural)!;
}
