export { FaultProxy, type FaultProxyOptions, type Refusal } from './fault-proxy.ts';
export { KubernetesServer, type KubernetesServerOptions } from './kubernetes-server.ts';
export type { Image } from './pod-worker.ts';
