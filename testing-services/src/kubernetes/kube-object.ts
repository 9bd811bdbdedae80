/** An object of the API as JSON. What is not named here is passed on unread. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: KubeMetadata;
  spec?: any;
  status?: any;
  [field: string]: any;
}

export interface KubeMetadata {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: { readonly uid: string; readonly kind: string; readonly name: string }[];
  [field: string]: any;
}

/** A kind of object that the server knows. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export const RESOURCES: readonly ResourceType[] = [
  { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', isNamespaced: false },
  { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true },
  { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', isNamespaced: true },
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', isNamespaced: true },
  { group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota', isNamespaced: true },
  { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', isNamespaced: true },
  { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles', kind: 'Role', isNamespaced: true },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'rolebindings',
    kind: 'RoleBinding',
    isNamespaced: true,
  },
];

export function apiVersionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}
