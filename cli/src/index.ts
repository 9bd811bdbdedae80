// What a `windhover.config.ts` imports; it loads nothing else.
export {
  defineConfig,
  type ExecutorOptions,
  type LocalExecutorConfig,
  type PluginReference,
  type Size,
  type WindhoverConfig,
} from './config/define-config.ts';
