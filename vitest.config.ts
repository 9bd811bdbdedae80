import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['development'] },
  ssr: { resolve: { conditions: ['development', 'node', 'default'] } },
  test: {
    include: ['*/test/**/*.test.ts', '{providers,executors,signals,templates}/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['platform/test/support/global-setup.ts'],
  },
});
