import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 10_000,
    hookTimeout: 30_000,
    globals: false,
    // Node runs the modules itself, as in production: one graphql, and no transformation between the test and the code.
    experimental: { viteModuleRunner: false },
    reporters: ['default'],
    // The reporter prints the seed; `npm test -- --sequence.seed=<seed>` repeats an order.
    sequence: { shuffle: { files: true, tests: true } },
  },
})
