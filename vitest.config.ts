import { defineConfig } from 'vitest/config'
import { FileOrder } from './test/support/file-order.ts'

const { TEST_SEED } = process.env

/** What every run has in common, whichever files it is about. */
export const COMMON = defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    // They end what hangs, and are far above what a test takes on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Two processors are shared with browsers and databases there; whatever needs a second try is named at the end. A found
    // counterexample is none the less one when the next seed finds none.
    retry: process.env['CI'] === undefined ? 0 : { count: 1, condition: /^(?![^]*Property failed)/ },
    globals: false,
    // Node runs the modules itself, as in production: one graphql, and no transformation between the test and the code.
    experimental: { viteModuleRunner: false },
    reporters: ['default'],
    globalSetup: [
      'test/support/build-program.ts',
      'test/support/migrated-database.ts',
      'test/support/database-server.ts',
    ],
    setupFiles: ['test/support/seed-setup.ts'],
    // The reporter prints the seed of the order; TEST_SEED=<seed> repeats it, and everything else that is random.
    sequence: {
      shuffle: { files: true, tests: true },
      sequencer: FileOrder,
      ...(TEST_SEED !== undefined && { seed: Number(TEST_SEED) }),
    },
  },
}).test

// The gateway is a package of its own: `npm run test:gateway`. The package is built first: `npm run test:package`.
const EXCLUDED = ['**/*.long.test.ts', 'test/gateway/**', 'test/package/**']

/** It measures the memory of the process that it runs in. */
const OWN_PROCESS = ['test/faults/upstream-floods.test.ts']

export default defineConfig({
  test: {
    ...COMMON,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared process',
          include: ['test/**/*.test.ts'],
          exclude: [...EXCLUDED, ...OWN_PROCESS],
          // No module of ours holds state: files may follow one another in a process in which everything is loaded. Each process has one
          // browser.
          isolate: false,
          // Half of the time a file waits, for a process that starts or a time that is over: more of them than cores.
          maxWorkers: 5,
        },
      },
      {
        extends: true,
        test: {
          name: 'own process',
          include: OWN_PROCESS,
          exclude: EXCLUDED,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
